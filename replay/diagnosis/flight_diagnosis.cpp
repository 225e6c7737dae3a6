// This diagnosis says which rank comes late to its collectives, or never came, by flight recorders.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "replay/diagnosis/arrivals.hpp"
#include "replay/diagnosis/flight_record.hpp"
#include "replay/diagnosis/hypothesis.hpp"

namespace mlsim::replay {
namespace {

// A Meeting is a collective that all of its recorded ranks came to, each so long after the first.
struct Meeting {
  Seconds created;                                    // of the first to ask
  bool timed = true;                                  // by durations
  std::vector<std::pair<std::size_t, Seconds>> late;  // by record

  const std::pair<std::size_t, Seconds>& last() const {
    return *std::max_element(late.begin(), late.end(), [](auto& a, auto& b) { return a.second < b.second; });
  }
};

using Entries = std::vector<std::pair<std::size_t, const FlightEntry*>>;  // by record

// Who waited longest in the collective came first. Clocks of hosts are only asked where durations lack.
Meeting meeting_of(const Entries& entries) {
  const bool timed =
      std::all_of(entries.begin(), entries.end(), [](auto& e) { return e.second->duration.has_value(); });
  Meeting meeting{entries.front().second->created, timed, {}};
  Seconds longest;
  for (const auto& [r, entry] : entries) {
    meeting.created = min(meeting.created, entry->created);
    longest = max(longest, entry->duration.value_or(Seconds(0)));
  }
  for (const auto& [r, entry] : entries)
    meeting.late.emplace_back(r, timed ? longest - *entry->duration : entry->created - meeting.created);
  return meeting;
}

class FlightEvidence {
 public:
  explicit FlightEvidence(const std::vector<FlightRecord>& records) : records_(records) {
    std::set<FlightRecord::Key> keys;
    for (const FlightRecord& record : records)
      for (const auto& [key, entry] : record.collectives) keys.insert(key);
    for (const auto& key : keys) add(key);
    std::sort(meetings_.begin(), meetings_.end(), [](auto& a, auto& b) { return a.created < b.created; });
    if (meetings_.empty() && stuck_.empty())
      throw InputError(records.front().file, "and the other records have no collective in common");
    if (meetings_.size() > 1)
      period_ =
          (meetings_.back().created - meetings_.front().created).value / static_cast<double>(meetings_.size() - 1);
  }

  std::size_t meetings() const { return meetings_.size(); }
  bool by_clocks() const {
    return std::any_of(meetings_.begin(), meetings_.end(), [](const Meeting& each) { return !each.timed; });
  }
  const std::map<std::string, std::string>& stuck() const { return stuck_; }

  std::vector<Arrival> arrivals() const {
    Arrivals arrivals;
    for (const Meeting& meeting : meetings_) arrivals.add(name_of(meeting.last().first), meeting.last().second);
    return arrivals.ranked();
  }

  // A rank's figure is how late it usually comes, against the time from one collective to the next.
  TimesEvidence evidence() const {
    EvidenceBuilder builder;
    if (period_ <= 0) return builder.take();
    std::vector<std::vector<double>> late(records_.size());
    for (const Meeting& meeting : meetings_)
      for (const auto& [r, time] : meeting.late) late[r].push_back(time.value / period_);
    std::vector<double> values;
    std::vector<MeasuredSubject> subjects;
    for (std::size_t r = 0; r < records_.size(); ++r) {
      values.push_back(late[r].empty() ? 0 : std::log1p(median_value(late[r])));
      subjects.push_back({name_of(r), ""});
    }
    builder.add_each(CauseKind::slow_rank, subjects, builder.add_group({SeenIn::arrivals, false, 0}, values));
    return builder.take();
  }

  // Returns the mean time from one collective to the next, less what the last rank no longer comes late.
  double mended_time(const std::vector<Mend>& mends) const {
    std::vector<double> earlier(records_.size());
    for (const Mend& mend : mends)
      for (const std::size_t r : mend.hypothesis->affected) earlier[r] += period_ * (mend.times_as_long - 1);
    double saved = 0;
    for (const Meeting& meeting : meetings_) {
      double last = 0;
      for (const auto& [r, late] : meeting.late) last = std::max(last, late.value - earlier[r]);
      saved += meeting.last().second.value - last;
    }
    return period_ - saved / static_cast<double>(std::max<std::size_t>(1, meetings_.size()));
  }

 private:
  std::string name_of(std::size_t record) const { return fmt::format("rank {}", records_[record].rank); }

  bool is_member(const FlightRecord& record, const std::string& group) const {
    const auto known = record.groups.find(group);
    if (known == record.groups.end() || known->second.empty())
      return record.collectives.lower_bound({group, 0}) != record.collectives.lower_bound({group + '\0', 0});
    return std::find(known->second.begin(), known->second.end(), record.rank) != known->second.end();
  }

  void add(const FlightRecord::Key& key) {
    Entries entries;
    std::vector<int> absent;
    bool waiting = false, forgotten = false;
    for (std::size_t r = 0; r < records_.size(); ++r) {
      const FlightRecord& record = records_[r];
      if (!is_member(record, key.first)) continue;
      if (const auto found = record.collectives.find(key); found != record.collectives.end()) {
        entries.emplace_back(r, &found->second);
        waiting = waiting || !found->second.completed;
        continue;
      }
      // The recorder forgets its oldest; who has a later one has been here.
      const auto later = record.collectives.upper_bound(key);
      if (later != record.collectives.end() && later->first.first == key.first)
        forgotten = true;
      else
        absent.push_back(record.rank);
    }
    if (!absent.empty() && waiting && !stuck_.contains(key.first))
      stuck_[key.first] =
          fmt::format("{} {} of group {}: {} never came, and {} waits", entries.front().second->operation, key.second,
                      key.first, ranks_text(absent), name_of(entries.front().first));
    if (absent.empty() && !forgotten && entries.size() > 1) meetings_.push_back(meeting_of(entries));
  }

  static std::string ranks_text(const std::vector<int>& ranks) {
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
  }

  const std::vector<FlightRecord>& records_;
  std::vector<Meeting> meetings_;
  std::map<std::string, std::string> stuck_;  // by group: the first collective in which ranks wait for others
  double period_ = 0;
};

}  // namespace

Diagnosis diagnosis(const std::vector<FlightRecord>& records) {
  const FlightEvidence flight(records);
  Diagnosis result =
      diagnosis(flight.evidence(), [&](const std::vector<Mend>& mends) { return flight.mended_time(mends); });
  result.subject = fmt::format("{}, {}", counted(records.size(), "rank"), counted(flight.meetings(), "collective"));
  result.last_to_arrive = flight.arrivals();
  for (const auto& [group, sentence] : flight.stuck()) result.notes.push_back(sentence);
  if (flight.by_clocks())
    result.notes.push_back(
        "Arrivals are by the hosts' clocks, which may differ; with TORCH_NCCL_ENABLE_TIMING=1 the recorder has "
        "durations, which tell them apart without clocks.");
  return result;
}

}  // namespace mlsim::replay
