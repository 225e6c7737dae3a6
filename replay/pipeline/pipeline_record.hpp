// A PipelineRecord is what the workers of a pipelined job did in a few recorded steps: one time for each operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// The names are those of Megatron-LM's timers, as ByteDance-Seed/StragglerAnalysis records them.
enum class PipelineOp : std::uint8_t {
  params_all_gather,
  forward_compute,
  forward_send,
  forward_recv,
  backward_compute,
  backward_send,
  backward_recv,
  layernorm_grads_all_reduce,
  embedding_grads_all_reduce,
  grads_reduce_scatter,
  optimizer_clip_main_grad,
  optimizer
};
inline constexpr std::size_t kPipelineOps = 12;
inline Words<PipelineOp> words(PipelineOp) {
  return {"pipeline operation",
          {"params-all-gather", "forward-compute", "forward-send", "forward-recv", "backward-compute", "backward-send",
           "backward-recv", "layernorm-grads-all-reduce", "embedding-grads-all-reduce", "grads-reduce-scatter",
           "optimizer-clip-main-grad", "optimizer"}};
}

/// Times count from the step's begin.
struct RecordedOp {
  Seconds begin, duration;
  Seconds end() const { return begin + duration; }
};

/// WorkerOps are one worker in one step. A worker is a stage of one data rank: one rank, or tensor-parallel ones.
class WorkerOps {
 public:
  /// An operation stands by micro-batch, or once where it runs once a step. It is empty where it was not recorded.
  std::vector<std::optional<RecordedOp>>& of(PipelineOp op) { return ops_[static_cast<std::size_t>(op)]; }
  const std::vector<std::optional<RecordedOp>>& of(PipelineOp op) const { return ops_[static_cast<std::size_t>(op)]; }
  /// Returns 0 where the operation was not recorded.
  Seconds duration(PipelineOp op, int micro_batch = 0) const;
  /// Returns the begin of the first operation.
  Seconds begin() const;
  Seconds end() const;

 private:
  std::array<std::vector<std::optional<RecordedOp>>, kPipelineOps> ops_;
};

struct PipelineStep {
  std::int64_t number = 0;
  std::vector<WorkerOps> workers;  // data_rank * stages + stage
  /// Returns the time from the first operation's begin to the last one's end.
  Seconds time() const;
};

struct PipelineSize {
  int data_ranks = 1, stages = 1, micro_batches = 1;
  int workers() const { return data_ranks * stages; }
  int worker(int data_rank, int stage) const { return data_rank * stages + stage; }
  int data_rank(int worker) const { return worker / stages; }
  int stage(int worker) const { return worker % stages; }
};

struct PipelineRecord {
  std::string file;
  PipelineSize size;
  std::vector<std::string> hosts;   // of each worker; empty where the file does not say
  std::vector<PipelineStep> steps;  // at least one, by number
};

/// Reads a table with the columns step, data_rank, stage, op, sequence (the micro-batch), start_us and duration_us, in
/// any order, and, if known, host. Every worker computes every micro-batch forward and backward; other operations may
/// lack. Throws InputError with file and line for columns, words and figures that are none of these, an operation that
/// stands twice, times below 0, workers that are missing, and a clock that goes backwards.
PipelineRecord parse_pipeline_record(std::string_view text, const std::string& file);

/// Says whether the header of a table has this file's columns.
bool is_pipeline_header(const std::vector<std::string>& header);

}  // namespace mlsim::replay
