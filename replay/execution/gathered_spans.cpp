#include "replay/execution/gathered_spans.hpp"

#include <cstring>
#include <string>
#include <type_traits>

#include "calibrate/measure.hpp"

namespace mlsim::replay {
namespace {

// Packs values as bytes, for ranks of one program.
template <class Value>
std::string packed(const std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::string bytes(values.size() * sizeof(Value), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Value>
std::vector<Value> unpacked(const std::string& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

RankClock::RankClock(calibrate::World& world) : world_(world) {
  const calibrate::ClockLead lead = world.clock_lead();
  at_ = calibrate::steady_now();
  clock_ = {lead.lead, 0, lead.error};
}

void RankClock::compare_again() {
  const calibrate::ClockLead lead = world_.clock_lead();
  const Seconds passed = calibrate::steady_now() - at_;
  if (passed > Seconds(0)) clock_.drift = (lead.lead - clock_.lead) / passed;
  clock_.error = max(clock_.error, lead.error);
}

std::vector<ReplayClock> RankClock::gathered() const {
  std::vector<ReplayClock> all;
  for (const std::string& bytes : world_.gathered(packed(std::vector<ReplayClock>{clock_})))
    all.push_back(unpacked<ReplayClock>(bytes).front());
  return all;
}

Seconds RankClock::on_root(Seconds own) const { return own - clock_.lead - (own - at_) * clock_.drift; }

std::vector<StepSpans> gathered_spans(calibrate::World& world, const StepSpans& own, const RankClock& clock) {
  std::vector<StepSpans> by_rank(static_cast<std::size_t>(world.ranks()));
  for (const auto& step : own) {
    std::vector<ReplaySpan> spans = step;
    for (ReplaySpan& span : spans) span = {span.vertex, clock.on_root(span.begin), clock.on_root(span.end)};
    const auto all = world.gathered(packed(spans));
    for (std::size_t rank = 0; rank < all.size(); ++rank) by_rank[rank].push_back(unpacked<ReplaySpan>(all[rank]));
  }
  return by_rank;
}

}  // namespace mlsim::replay
