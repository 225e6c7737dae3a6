#include "replay/pipeline/pipeline_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/table_row.hpp"
#include "workloads/pipeline/schedule.hpp"

namespace mlsim::replay {
namespace {

const std::vector<std::string>& pipeline_columns() {
  static const std::vector<std::string> all{"step", "data_rank", "stage", "op", "sequence", "start_us", "duration_us"};
  return all;
}

bool each_micro_batch(PipelineOp op) { return op >= PipelineOp::forward_compute && op <= PipelineOp::backward_recv; }

struct OpRow {
  int line = 0;
  std::int64_t step = 0;
  int data_rank = 0, stage = 0;
  PipelineOp op = PipelineOp::forward_compute;
  int sequence = 0;
  RecordedOp times;
  std::string host;
};

OpRow op_row(const TableRow& row) {
  OpRow read;
  read.line = row.line();
  read.step = row.count("step");
  read.data_rank = row.index("data_rank");
  read.stage = row.index("stage");
  read.op = row.word<PipelineOp>("op");
  read.sequence = row.index("sequence");
  if (!each_micro_batch(read.op) && read.sequence > 0)
    throw row.error("sequence", fmt::format("is {} of {}, which runs once in a step", read.sequence, name(read.op)));
  read.times = {Seconds(row.not_negative("start_us") * 1e-6), Seconds(row.not_negative("duration_us") * 1e-6)};
  if (row.has("host")) read.host = row.text("host");
  return read;
}

// The builder puts the rows of a table in place.
class RecordBuilder {
 public:
  RecordBuilder(std::vector<OpRow> rows, std::string file) : rows_(std::move(rows)) {
    record_.file = std::move(file);
    std::set<std::pair<int, int>> workers;
    std::set<std::int64_t> steps;
    for (const OpRow& row : rows_) {
      record_.size.data_ranks = std::max(record_.size.data_ranks, row.data_rank + 1);
      record_.size.stages = std::max(record_.size.stages, row.stage + 1);
      record_.size.micro_batches = std::max(record_.size.micro_batches, row.sequence + 1);
      workers.insert({row.data_rank, row.stage});
      steps.insert(row.step);
    }
    check_workers(workers);
    check_count(steps.size());
    for (const std::int64_t number : steps) {
      place_of_step_[number] = record_.steps.size();
      record_.steps.push_back({number, std::vector<WorkerOps>(static_cast<std::size_t>(record_.size.workers()))});
    }
  }

  PipelineRecord record() {
    for (const OpRow& row : rows_) put(row);
    for (const PipelineStep& step : record_.steps)
      for (int worker = 0; worker < record_.size.workers(); ++worker) check_worker(step, worker);
    return std::move(record_);
  }

 private:
  std::string worker_text(int data_rank, int stage) const {
    return fmt::format("data rank {}, stage {}", data_rank, stage);
  }
  std::string place(int line) const { return fmt::format("{}:{}", record_.file, line); }

  void check_workers(const std::set<std::pair<int, int>>& workers) const {
    const PipelineSize& size = record_.size;
    if (static_cast<double>(size.data_ranks) * size.stages == static_cast<double>(workers.size())) return;
    for (int d = 0; d < size.data_ranks; ++d)
      for (int s = 0; s < size.stages; ++s)
        if (workers.count({d, s}) == 0)
          throw InputError(record_.file, fmt::format("{} is missing of {} data ranks with {} stages each",
                                                     worker_text(d, s), size.data_ranks, size.stages));
  }

  // This check runs before anything is made as large as the figures say.
  void check_count(std::size_t steps) const {
    const PipelineSize& size = record_.size;
    const double least = 2.0 * static_cast<double>(steps) * size.workers() * size.micro_batches;
    if (static_cast<double>(rows_.size()) < least)
      throw InputError(record_.file,
                       fmt::format("has {} operations where {} steps of {} workers and {} micro-batches have {} passes "
                                   "at least: some are missing",
                                   rows_.size(), steps, size.workers(), size.micro_batches, least));
  }

  void put(const OpRow& row) {
    const int worker = record_.size.worker(row.data_rank, row.stage);
    auto& ops = record_.steps[place_of_step_[row.step]].workers[static_cast<std::size_t>(worker)].of(row.op);
    if (ops.empty()) ops.resize(each_micro_batch(row.op) ? static_cast<std::size_t>(record_.size.micro_batches) : 1);
    auto& slot = ops[static_cast<std::size_t>(row.sequence)];
    if (slot)
      throw InputError(place(row.line), fmt::format("{} {} of {} stands twice in step {}", name(row.op), row.sequence,
                                                    worker_text(row.data_rank, row.stage), row.step));
    slot = row.times;
    if (!row.host.empty()) put_host(row, static_cast<std::size_t>(worker));
  }

  void put_host(const OpRow& row, std::size_t worker) {
    record_.hosts.resize(static_cast<std::size_t>(record_.size.workers()));
    std::string& host = record_.hosts[worker];
    if (!host.empty() && host != row.host)
      throw InputError(place(row.line), fmt::format("host is \"{}\", and was \"{}\" of {} before", row.host, host,
                                                    worker_text(row.data_rank, row.stage)));
    host = row.host;
  }

  void check_worker(const PipelineStep& step, int worker) const {
    const PipelineSize& size = record_.size;
    const WorkerOps& ops = step.workers[static_cast<std::size_t>(worker)];
    const std::string who =
        fmt::format("step {}, {}", step.number, worker_text(size.data_rank(worker), size.stage(worker)));
    Seconds before(-std::numeric_limits<double>::infinity());
    for (const PipelineTask& task :
         pipeline_order({PipelineSchedule::one_f_one_b, size.stages, 1, size.micro_batches}, size.stage(worker))) {
      const PipelineOp op = task.backward ? PipelineOp::backward_compute : PipelineOp::forward_compute;
      const auto& passes = ops.of(op);
      const auto at = static_cast<std::size_t>(task.micro_batch);
      if (passes.empty() || !passes[at])
        throw InputError(record_.file, fmt::format("{}: {} {} is missing", who, name(op), task.micro_batch));
      if (passes[at]->begin < before)
        throw InputError(record_.file,
                         fmt::format("{}: {} {} begins before the pass that 1F1B runs before it: the clock goes "
                                     "backwards, or the schedule is another",
                                     who, name(op), task.micro_batch));
      before = passes[at]->begin;
    }
  }

  std::vector<OpRow> rows_;
  PipelineRecord record_;
  std::map<std::int64_t, std::size_t> place_of_step_;
};

}  // namespace

Seconds WorkerOps::duration(PipelineOp op, int micro_batch) const {
  const auto& recorded = of(op);
  const auto at = static_cast<std::size_t>(micro_batch);
  return at < recorded.size() && recorded[at] ? recorded[at]->duration : Seconds(0);
}

Seconds WorkerOps::begin() const {
  Seconds first(std::numeric_limits<double>::infinity());
  for (const auto& ops : ops_)
    for (const auto& each : ops)
      if (each) first = min(first, each->begin);
  return first;
}

Seconds WorkerOps::end() const {
  Seconds last;
  for (const auto& ops : ops_)
    for (const auto& each : ops)
      if (each) last = max(last, each->end());
  return last;
}

Seconds PipelineStep::time() const {
  Seconds first(std::numeric_limits<double>::infinity()), last;
  for (const WorkerOps& worker : workers) {
    first = min(first, worker.begin());
    last = max(last, worker.end());
  }
  return last - first;
}

bool is_pipeline_header(const std::vector<std::string>& header) {
  return std::find(header.begin(), header.end(), "data_rank") != header.end();
}

PipelineRecord parse_pipeline_record(std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file);
  check_columns(table, pipeline_columns(), {"host"});
  std::vector<OpRow> rows;
  for (const CsvRow& row : table.rows) rows.push_back(op_row(TableRow(table, row)));
  if (rows.empty()) throw InputError(file, "holds no operation");
  return RecordBuilder(std::move(rows), file).record();
}

}  // namespace mlsim::replay
