// Peaks of memory that were measured of language models, against what plans of the same layouts keep.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/part_memory.hpp"
#include "sim/plan/plan.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// Peaks of allocated memory, GiB, largest of the ranks: Megatron-LM with Transformer Engine on 8 B200, 12 layers of
// Llama 3 70B (MooreThreads/SimuMax@4dcaae5, the summary of its release for B200, v1.2).
struct Row {
  std::string parallelism;
  int sequence, global_batch;
  double gibibytes;
  std::string settings = {};
};
const std::vector<Row>& rows() {
  static const std::vector<Row> all{{"pp=2,mbs=1", 4096, 16, 66.55},
                                    {"tp=2,mbs=1", 4096, 16, 60.68},
                                    {"tp=4,mbs=1", 4096, 8, 39.07},
                                    {"tp=8,mbs=1", 4096, 4, 28.29},
                                    {"tp=2,cp=4,mbs=1", 32768, 4, 68.43, ";context_exchange=alltoall"},
                                    {"cp=8,mbs=1", 32768, 4, 104.51, ";context_exchange=alltoall"}};
  return all;
}

double predicted(const Row& row) {
  PredictRequest request;
  request.topology = "dgx-b200";
  request.workload = "llama-3-70b:layers=12,sequence=" + std::to_string(row.sequence);
  request.parallelism = row.parallelism;
  request.global_batch = row.global_batch;
  request.precision = Precision::bf16;
  request.options = parse_options("attention=flash;fusion=on;optimizer=adam" + row.settings);
  const Plan plan = plan_of_any_size(request);
  // What PyTorch has allocated is without the driver's context and without what its allocator reserves.
  const MemoryUse use = part_memory(*plan.part, plan.step);
  return (use.total() - use.workspace) / mebibytes(1024);
}

}  // namespace

TEST_CASE("what layouts of a language model keep is near the peaks that were measured") {
  std::vector<double> errors;
  for (const Row& row : rows()) {
    const double error = predicted(row) / row.gibibytes - 1;
    UNSCOPED_INFO(row.parallelism << ": " << predicted(row) << " GiB of " << row.gibibytes);
    errors.push_back(std::abs(error));
  }
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] < 0.05);
  CHECK(errors.back() < 0.15);
}
