#include "replay/validation/recorded_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/table_row.hpp"

namespace mlsim::replay {
namespace {

const std::vector<std::string>& step_columns() {
  static const std::vector<std::string> all{"rank",    "kind", "stream",     "launch_us",     "call_us", "begin_us",
                                            "time_us", "name", "collective", "payload_bytes", "ranks",   "least_us"};
  return all;
}

Seconds time_of(const TableRow& row, const std::string& column) { return microseconds(row.not_negative(column)); }

// A moment may be before the step begins.
Seconds moment_of(const TableRow& row, const std::string& column) { return microseconds(row.number(column)); }

RecordedCollective collective_of(const TableRow& row) {
  RecordedCollective what;
  what.kind = row.word<CollectiveKind>("collective");
  if (row.given("payload_bytes")) what.payload = Bytes(row.number("payload_bytes"));
  if (row.given("ranks")) what.group_size = row.count("ranks", 1);
  return what;
}

struct ReadRank {
  RankTrace trace;
  std::vector<std::pair<RecordedCollective, Seconds>> least;
  std::map<std::string, std::size_t> names;
};

// The step before is there for what its streams did last.
void add_step(ReadRank& rank, const TableRow& row) {
  if (!rank.trace.steps.empty()) throw row.error("kind", "is a second step of this rank; one is replayed");
  const Seconds begin = moment_of(row, "begin_us"), time = time_of(row, "time_us");
  if (time <= Seconds(0)) throw row.error("time_us", "is 0");
  rank.trace.steps = {{0, begin - time, time, time}, {1, begin, time, time}};
  rank.trace.device = row.text("name");
  if (row.given("ranks")) rank.trace.world_size = row.count("ranks", 1);
}

void add_span(ReadRank& rank, const TableRow& row) {
  RecordedSpan span;
  const bool before = row.text("kind") == "before";
  if (!before) span.kind = row.word<RecordedKind>("kind");
  span.step = before ? 0 : 1;
  span.stream = row.count("stream");
  span.begin = moment_of(row, "begin_us");
  span.duration = time_of(row, "time_us");
  if (row.given("launch_us")) span.launch = moment_of(row, "launch_us");
  if (row.given("call_us")) span.call = time_of(row, "call_us");
  const auto [name, fresh] = rank.names.try_emplace(row.text("name"), rank.trace.names.size());
  if (fresh) rank.trace.names.push_back(row.text("name"));
  span.name = name->second;
  if (span.kind == RecordedKind::collective) {
    span.collective = collective_of(row);
    if (row.given("least_us")) rank.least.emplace_back(*span.collective, time_of(row, "least_us"));
  }
  rank.trace.spans.push_back(std::move(span));
}

void forget_step_before(RankTrace& trace) {
  trace.steps.erase(trace.steps.begin());
  for (RecordedSpan& span : trace.spans) span.step = 0;
}

std::map<int, ReadRank> ranks_of(const CsvTable& table) {
  check_columns(table, step_columns(), {});
  std::map<int, ReadRank> ranks;
  for (const CsvRow& fields : table.rows) {
    const TableRow row(table, fields);
    const int number = row.count("rank");
    ReadRank& rank = ranks[number];
    rank.trace.rank = number;
    rank.trace.file = table.file;
    if (row.text("kind") == "step")
      add_step(rank, row);
    else
      add_span(rank, row);
  }
  for (auto& [number, rank] : ranks) {
    const auto lacks = [&table, number = number](const char* what) {
      return InputError(table.file, fmt::format("rank {} has no {}", number, what));
    };
    if (rank.trace.steps.empty()) throw lacks("row of kind step");
    if (std::none_of(rank.trace.spans.begin(), rank.trace.spans.end(), [](const auto& s) { return s.step == 1; }))
      throw lacks("work of its accelerator");
    if (std::all_of(rank.trace.spans.begin(), rank.trace.spans.end(), [](const auto& s) { return s.step == 1; }))
      forget_step_before(rank.trace);
    std::stable_sort(rank.trace.spans.begin(), rank.trace.spans.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }
  if (ranks.empty()) throw InputError(table.file, "holds a header but no steps");
  return ranks;
}

// The times of other steps count among a collective's times.
void add_least(RecordedRank& rank, const ReadRank& read) {
  for (const auto& [what, least] : read.least)
    for (CollectiveTimes& each : rank.collectives)
      if (each.collective == what && least < each.least()) each.times.insert(each.times.begin(), least);
}

}  // namespace

RecordedRun parse_recorded_steps(std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file);
  const std::map<int, ReadRank> ranks = ranks_of(table);
  std::vector<RankTrace> traces;
  for (const auto& [number, rank] : ranks) traces.push_back(rank.trace);
  RecordedRun run = recorded_run(std::move(traces));
  std::size_t place = 0;
  for (const auto& [number, rank] : ranks) {
    run.ranks[place].typical_step = rank.trace.steps.size() - 1;
    add_least(run.ranks[place++], rank);
  }
  return run;
}

}  // namespace mlsim::replay
