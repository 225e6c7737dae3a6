#include "tests/oracles/workloads/pipeline_closed_form.hpp"

#include <algorithm>
#include <numeric>

namespace mlsim::test {
namespace {

Seconds sum_of(const std::vector<Seconds>& times) { return std::accumulate(times.begin(), times.end(), Seconds()); }
Seconds largest_of(const std::vector<Seconds>& times) { return *std::max_element(times.begin(), times.end()); }

}  // namespace

double bubble_fraction(const PipelineShape& shape) {
  const double waits = shape.stages - 1;
  return waits / (double(shape.chunks) * shape.micro_batches + waits);
}

Seconds pipeline_time(PipelineSchedule schedule, const std::vector<Seconds>& forward,
                      const std::vector<Seconds>& backward, int micro_batches) {
  const double others = micro_batches - 1;
  if (schedule == PipelineSchedule::gpipe) {
    return sum_of(forward) + others * largest_of(forward) + sum_of(backward) + others * largest_of(backward);
  }
  std::vector<Seconds> both;
  for (std::size_t s = 0; s < forward.size(); ++s) both.push_back(forward[s] + backward[s]);
  return sum_of(both) + others * largest_of(both);
}

}  // namespace mlsim::test
