#include "replay/validation/recorded_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::replay {
namespace {

const std::vector<std::string>& step_columns() {
  static const std::vector<std::string> all{"rank",    "kind", "stream",     "launch_us",     "call_us", "begin_us",
                                            "time_us", "name", "collective", "payload_bytes", "ranks",   "least_us"};
  return all;
}

// A `StepRow` gives a row by the names of its columns.
class StepRow {
 public:
  StepRow(const CsvTable& table, const std::map<std::string, std::size_t>& places, const CsvRow& row)
      : table_(table), places_(places), row_(row) {}

  const std::string& text(const std::string& column) const { return row_.fields[places_.at(column)]; }
  bool has(const std::string& column) const { return !text(column).empty(); }
  template <class Read>
  auto read(const std::string& column, Read value) const {
    try {
      return value();
    } catch (const InputError& e) {
      refuse(column, e.what());
    }
  }
  double number(const std::string& column) const {
    return read(column, [&] { return parse_number(text(column)); });
  }
  int count(const std::string& column, int lowest) const {
    return read(column, [&] { return parse_count(text(column), lowest); });
  }
  Seconds time(const std::string& column, bool may_be_negative = false) const {
    const double us = number(column);
    if (us < 0 && !may_be_negative) refuse(column, "is below 0");
    return microseconds(us);
  }
  template <class E>
  E word(const std::string& column) const {
    return read(column, [&] { return parse<E>(text(column)); });
  }
  [[noreturn]] void refuse(const std::string& column, const std::string& why) const {
    throw InputError(fmt::format("{}:{}", table_.file, row_.line), fmt::format("{}: {}", column, why));
  }

 private:
  const CsvTable& table_;
  const std::map<std::string, std::size_t>& places_;
  const CsvRow& row_;
};

std::map<std::string, std::size_t> places_of(const CsvTable& table) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (std::find(step_columns().begin(), step_columns().end(), table.header[i]) == step_columns().end())
      throw InputError(table.file + ":1", unknown_word("column", table.header[i], step_columns()));
    places[table.header[i]] = i;
  }
  for (const std::string& column : step_columns())
    if (places.count(column) == 0) throw InputError(table.file + ":1", "lacks the column " + column);
  return places;
}

RecordedCollective collective_of(const StepRow& row) {
  RecordedCollective what;
  what.kind = row.word<CollectiveKind>("collective");
  if (row.has("payload_bytes")) what.payload = Bytes(row.number("payload_bytes"));
  if (row.has("ranks")) what.group_size = row.count("ranks", 1);
  return what;
}

struct ReadRank {
  RankTrace trace;
  std::vector<std::pair<RecordedCollective, Seconds>> least;
  std::map<std::string, std::size_t> names;
};

// The step before is there for what its streams did last.
void add_step(ReadRank& rank, const StepRow& row) {
  if (!rank.trace.steps.empty()) row.refuse("kind", "is a second step of this rank; one is replayed");
  const Seconds begin = row.time("begin_us", true), time = row.time("time_us");
  if (time <= Seconds(0)) row.refuse("time_us", "is 0");
  rank.trace.steps = {{0, begin - time, time}, {1, begin, time}};
  rank.trace.device = row.text("name");
  if (row.has("ranks")) rank.trace.world_size = row.count("ranks", 1);
}

void add_span(ReadRank& rank, const StepRow& row) {
  RecordedSpan span;
  const bool before = row.text("kind") == "before";
  if (!before) span.kind = row.word<RecordedKind>("kind");
  span.step = before ? 0 : 1;
  span.stream = row.count("stream", 0);
  span.begin = row.time("begin_us", true);
  span.duration = row.time("time_us");
  if (row.has("launch_us")) span.launch = row.time("launch_us", true);
  if (row.has("call_us")) span.call = row.time("call_us");
  const auto [name, fresh] = rank.names.try_emplace(row.text("name"), rank.trace.names.size());
  if (fresh) rank.trace.names.push_back(row.text("name"));
  span.name = name->second;
  if (span.kind == RecordedKind::collective) {
    span.collective = collective_of(row);
    if (row.has("least_us")) rank.least.emplace_back(*span.collective, row.time("least_us"));
  }
  rank.trace.spans.push_back(std::move(span));
}

void forget_step_before(RankTrace& trace) {
  trace.steps.erase(trace.steps.begin());
  for (RecordedSpan& span : trace.spans) span.step = 0;
}

std::map<int, ReadRank> ranks_of(const CsvTable& table) {
  const auto places = places_of(table);
  std::map<int, ReadRank> ranks;
  for (const CsvRow& fields : table.rows) {
    const StepRow row(table, places, fields);
    const int number = row.count("rank", 0);
    ReadRank& rank = ranks[number];
    rank.trace.rank = number;
    rank.trace.file = table.file;
    if (row.text("kind") == "step")
      add_step(rank, row);
    else
      add_span(rank, row);
  }
  for (auto& [number, rank] : ranks) {
    const auto lacks = [&](const char* what) {
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

RecordedRun load_recorded_steps(const std::string& path) { return parse_recorded_steps(read_text_file(path), path); }

}  // namespace mlsim::replay
