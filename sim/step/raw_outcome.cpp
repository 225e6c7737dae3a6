#include "sim/step/raw_outcome.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "sim/engine/child.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {

RawOutcome gathered(const StepSchedule& schedule, const StepRun& run, const std::vector<RankClass>& classes) {
  RawOutcome raw;
  std::vector<std::uint32_t> order(classes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return classes[a].speed < classes[b].speed; });
  for (const std::uint32_t c : order) {
    for (const std::uint32_t v : schedule.of_role(classes[c].role)) raw.time = max(raw.time, run.interval(v, c).end);
  }
  std::set<int> roles;  // a pipeline shows all of its stages
  for (const RankClass& each : classes) roles.insert(each.role);
  order.resize(std::min(order.size(), std::max(kTracedClasses, roles.size())));
  const std::uint32_t shown = shown_class(schedule, classes);
  if (std::find(order.begin(), order.end(), shown) == order.end()) order.back() = shown;
  for (const std::uint32_t c : order) {
    for (const std::uint32_t v : schedule.of_role(classes[c].role)) {
      if (schedule.node(v).role == classes[c].role) raw.intervals.push_back(run.interval(v, c));
    }
  }
  raw.traced = std::move(order);
  return raw;
}

std::string pack(const RawOutcome& raw) {
  Packer packer;
  packer.put(raw.traced);
  packer.put(raw.intervals);
  packer.put(raw.time);
  packer.put(raw.flows);
  packer.put(raw.events);
  return packer.take();
}

RawOutcome unpack(const std::string& bytes) {
  Unpacker unpacker(bytes);
  RawOutcome raw;
  raw.traced = unpacker.get_vector<std::uint32_t>();
  raw.intervals = unpacker.get_vector<StepSchedule::Interval>();
  raw.time = unpacker.get<Seconds>();
  raw.flows = unpacker.get<std::uint64_t>();
  raw.events = unpacker.get<std::uint64_t>();
  return raw;
}

}  // namespace mlsim::sim
