#include "replay/diagnosis/worker_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/table_row.hpp"
#include "replay/diagnosis/arrivals.hpp"

namespace mlsim::replay {
namespace {

constexpr std::size_t kLeastRanks = 2;

struct TimeColumn {
  std::string name;  // "own_ms"
  double unit = 1;
};

// Returns which of own_s, own_ms and own_us the header has.
std::optional<TimeColumn> time_column(const CsvTable& table, const std::string& what) {
  std::optional<TimeColumn> found;
  for (const auto& [suffix, unit] : {std::pair("_s", 1.0), std::pair("_ms", 1e-3), std::pair("_us", 1e-6)}) {
    if (std::find(table.header.begin(), table.header.end(), what + suffix) == table.header.end()) continue;
    if (found) throw InputError(table.file, fmt::format("has both {} and {}{}", found->name, what, suffix));
    found = TimeColumn{what + suffix, unit};
  }
  return found;
}

struct TimesRow {
  int line = 0, step = 0, rank = 0;
  Seconds own, input, exchange;
  std::string host;
};

class WorkerTable {
 public:
  explicit WorkerTable(const CsvTable& table)
      : file_(table.file),
        own_(time_column(table, "own")),
        input_(time_column(table, "input")),
        exchange_(time_column(table, "exchange")) {
    check_columns(
        table, {"step", "rank", own_ ? own_->name : "own_s"},
        {"host", "own_ms", "own_us", "input_s", "input_ms", "input_us", "exchange_s", "exchange_ms", "exchange_us"});
    for (const CsvRow& row : table.rows) put(TableRow(table, row));
    if (rows_.empty()) throw InputError(file_, "holds no step");
  }

  WorkerTimes times() const {
    if (ranks_.size() < kLeastRanks) throw InputError(file_, "has one rank, which nothing can be compared with");
    if (static_cast<std::size_t>(*ranks_.rbegin()) + 1 != ranks_.size())
      throw InputError(file_, fmt::format("rank {} is missing of {}", first_missing(), *ranks_.rbegin() + 1));
    WorkerTimes times;
    times.file = file_;
    times.numbers.assign(ranks_.begin(), ranks_.end());
    times.hosts = hosts();
    for (const auto& [step, of_ranks] : rows_) {
      for (const int rank : ranks_)
        if (of_ranks.count(rank) == 0)
          throw InputError(file_, fmt::format("rank {} is missing in step {}", rank, step));
      for (auto* all : {&times.own, &times.input, &times.exchange}) all->emplace_back();
      for (const auto& [rank, row] : of_ranks) {
        times.own.back().push_back(row.own);
        times.input.back().push_back(row.input);
        times.exchange.back().push_back(row.exchange);
      }
    }
    if (!input_) times.input.clear();
    if (!exchange_) times.exchange.clear();
    return times;
  }

 private:
  void put(const TableRow& row) {
    TimesRow read;
    read.line = row.line();
    read.step = row.count("step");
    read.rank = row.index("rank");
    const auto time = [&](const std::optional<TimeColumn>& column) {
      return column ? Seconds(row.not_negative(column->name) * column->unit) : Seconds(0);
    };
    read.own = time(own_);
    read.input = time(input_);
    read.exchange = time(exchange_);
    if (read.own == Seconds(0)) throw row.error(own_->name, "is 0");
    if (row.has("host")) read.host = row.text("host");
    ranks_.insert(read.rank);
    const auto [first, fresh] = rows_[read.step].try_emplace(read.rank, read);
    if (!fresh)
      throw row.error("rank", fmt::format("{} stands twice in step {}, first in line {}", read.rank, read.step,
                                          first->second.line));
  }

  int first_missing() const {
    int next = 0;
    for (const int rank : ranks_) {
      if (rank != next) break;
      ++next;
    }
    return next;
  }

  std::vector<std::string> hosts() const {
    std::vector<std::string> all(ranks_.size());
    for (const auto& [step, of_ranks] : rows_) {
      for (const auto& [rank, row] : of_ranks) {
        std::string& host = all[static_cast<std::size_t>(rank)];
        if (!host.empty() && host != row.host)
          throw InputError(fmt::format("{}:{}", file_, row.line),
                           fmt::format("host is \"{}\", and was \"{}\" of rank {} before", row.host, host, rank));
        host = row.host;
      }
    }
    return all;
  }

  std::string file_;
  std::optional<TimeColumn> own_, input_, exchange_;
  std::map<int, std::map<int, TimesRow>> rows_;  // by step and rank
  std::set<int> ranks_;
};

}  // namespace

WorkerTimes parse_worker_times(std::string_view text, const std::string& file) {
  return WorkerTable(parse_csv(text, file)).times();
}

WorkerTimes worker_times(const RecordedRun& run) {
  if (run.ranks.size() < kLeastRanks)
    throw InputError(run.ranks.front().trace.file,
                     "is one rank's trace, which nothing can be compared with; give those "
                     "of several ranks");
  std::map<std::int64_t, std::vector<Seconds>> own;  // by step
  for (const RecordedRank& rank : run.ranks)
    for (std::size_t i = 0; i < rank.trace.steps.size(); ++i)
      own[rank.trace.steps[i].number].push_back(rank.trace.steps[i].time - rank.sums[i].exposed);
  WorkerTimes times;
  times.file = run.ranks.front().trace.file;
  times.hosts.resize(run.ranks.size());
  for (const RecordedRank& rank : run.ranks)
    times.numbers.push_back(rank.trace.rank.value_or(static_cast<int>(times.numbers.size())));
  times.notes = run_warnings(run);
  if (run.alignment) {
    Arrivals arrivals;
    for (const AlignedCollective& each : run.alignment->collectives)
      arrivals.add(fmt::format("rank {}", each.last_rank), each.waited);
    times.arrivals = arrivals.ranked();
  }
  for (const auto& [step, of_ranks] : own)
    if (of_ranks.size() == run.ranks.size()) times.own.push_back(of_ranks);
  if (times.own.empty()) throw InputError(times.file, "and the traces of the other ranks have no step in common");
  return times;
}

}  // namespace mlsim::replay
