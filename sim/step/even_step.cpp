#include "sim/step/even_step.hpp"

namespace mlsim::sim {

Seconds even_step_time(const StepOrder& order, const std::vector<Seconds>& duration) {
  std::vector<Seconds> end(order.size());
  Seconds last;
  for (std::size_t v = 0; v < end.size(); ++v) {
    for (const std::size_t u : order.predecessors(v)) end[v] = max(end[v], end[u]);
    end[v] += duration[v];
    last = max(last, end[v]);
  }
  return last;
}

}  // namespace mlsim::sim
