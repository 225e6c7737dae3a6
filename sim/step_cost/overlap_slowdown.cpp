#include "sim/step_cost/overlap_slowdown.hpp"

#include <algorithm>
#include <limits>

namespace mlsim::sim {
namespace {

// An `EvenRun` follows one rank of each role, from one end of a node to the next.
class EvenRun {
 public:
  EvenRun(const StepOrder& order, const std::vector<Seconds>& duration, double slowdown)
      : order_(order), duration_(duration), slowdown_(slowdown), time_(duration.size()) {
    for (std::size_t v = 0; v < duration.size(); ++v) missing_.push_back(order_.predecessors(v).size());
    for (std::size_t v = 0; v < duration.size(); ++v) {
      if (missing_[v] == 0) start(v);
    }
  }

  std::vector<Seconds> times() {
    while (!running_.empty()) advance();
    return std::move(time_);
  }

 private:
  struct Running {
    std::size_t vertex = 0;
    double left = 0;  // seconds of undisturbed work
  };

  void start(std::size_t vertex) { running_.push_back({vertex, duration_[vertex].value}); }

  bool disturbed(std::size_t vertex) const {
    const StepNode& node = order_.node(vertex);
    return node.stream == Stream::compute && std::any_of(running_.begin(), running_.end(), [&](const Running& other) {
             const StepNode& beside = order_.node(other.vertex);
             return beside.stream == Stream::communication && beside.role == node.role && other.left > 0;
           });
  }

  // Advances to the next end of a node.
  void advance() {
    std::vector<double> pace;  // seconds for a second of undisturbed work
    double next = std::numeric_limits<double>::infinity();
    for (const Running& run : running_) {
      pace.push_back(disturbed(run.vertex) ? 1 + slowdown_ : 1);
      next = std::min(next, run.left * pace.back());
    }
    std::vector<std::size_t> ended;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      Running& run = running_[i];
      time_[run.vertex] += Seconds(next);
      const bool ends = run.left * pace[i] <= next;
      run.left = ends ? 0 : run.left - next / pace[i];
      if (ends) ended.push_back(run.vertex);
    }
    std::erase_if(running_, [](const Running& run) { return run.left == 0; });
    for (const std::size_t v : ended) {
      for (const std::size_t w : order_.successors(v)) {
        if (--missing_[w] == 0) start(w);
      }
    }
  }

  const StepOrder& order_;
  const std::vector<Seconds>& duration_;
  double slowdown_;
  std::vector<Seconds> time_;
  std::vector<std::size_t> missing_;
  std::vector<Running> running_;
};

}  // namespace

std::vector<Seconds> slowed_by_exchange(const StepOrder& order, const std::vector<Seconds>& duration, double slowdown) {
  return EvenRun(order, duration, slowdown).times();
}

}  // namespace mlsim::sim
