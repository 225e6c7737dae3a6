#include "workloads/pipeline/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

void check_count(const char* what, int count) {
  if (count < 1) throw InputError(fmt::format("a pipeline has at least 1 {}, not {}", what, count));
}

std::vector<PipelineTask> gpipe_order(int micro_batches) {
  std::vector<PipelineTask> order;
  for (int i = 0; i < micro_batches; ++i) order.push_back({false, i, 0});
  for (int i = micro_batches; i-- > 0;) order.push_back({true, i, 0});
  return order;
}

// Passes go forward until the pipe is full, then one forward and one backward in turn, then the rest backward. With
// chunks, a group of as many micro-batches as there are stages goes through one chunk before it enters the next.
std::vector<PipelineTask> alternating_order(const PipelineShape& shape, int stage) {
  const int group = shape.stages * shape.chunks;
  const int total = shape.micro_batches * shape.chunks;
  const auto task = [&](int k, bool backward) {
    if (shape.chunks == 1) return PipelineTask{backward, k, 0};
    const int chunk = k % group / shape.stages;
    return PipelineTask{backward, k / group * shape.stages + k % shape.stages,
                        backward ? shape.chunks - 1 - chunk : chunk};
  };
  const int behind = shape.stages - 1 - stage;
  const int filling = shape.chunks == 1 ? behind : 2 * behind + (shape.chunks - 1) * shape.stages;
  const int ahead = std::min(filling, total);
  std::vector<PipelineTask> order;
  for (int k = 0; k < ahead; ++k) order.push_back(task(k, false));
  for (int k = ahead; k < total; ++k) {
    order.push_back(task(k, false));
    order.push_back(task(k - ahead, true));
  }
  for (int k = total - ahead; k < total; ++k) order.push_back(task(k, true));
  return order;
}

// Weight passes stand behind input gradients by as many micro-batches as stages before it have more to do.
std::vector<PipelineTask> zero_bubble_order(const PipelineShape& shape, int stage) {
  const int reach = shape.schedule == PipelineSchedule::zero_bubble_2p ? 2 : 1;
  const int filling = reach * (shape.stages - 1 - stage), behind = reach * stage;
  std::vector<PipelineTask> order;
  int forward = 0, weights = 0;
  const auto add_forward = [&] {
    if (forward < shape.micro_batches) order.push_back({false, forward++, 0, false});
  };
  for (int i = 0; i < filling; ++i) add_forward();
  for (int i = 0; i < shape.micro_batches; ++i) {
    add_forward();
    order.push_back({true, i, 0, false});
    if (i >= behind) order.push_back({false, weights++, 0, true});
  }
  while (weights < shape.micro_batches) order.push_back({false, weights++, 0, true});
  return order;
}

// The first chunks fill the pipe on their way down the V, then second ones come back up; weight passes stand right
// behind their input gradients until the pipe empties.
class VeeOrder {
 public:
  VeeOrder(const PipelineShape& shape, int stage)
      : micro_batches_(shape.micro_batches), before_(stage), behind_(shape.stages - stage) {}

  std::vector<PipelineTask> tasks() {
    for (int i = 0; i < 2 * behind_ - 1; ++i) add_forward(0);
    for (int i = 0; i < before_; ++i) {
      add_forward(1);
      add_forward(0);
    }
    for (int i = 0; i < behind_; ++i) {
      add_forward(1);
      add_backward(1, true);
    }
    while (forward_[1] < forward_[0] || forward_[0] < micro_batches_) {
      if (forward_[0] < micro_batches_) add_forward(0);
      add_backward(0, true);
      add_forward(1);
      add_backward(1, true);
    }
    for (int i = 0; i < before_; ++i) {
      add_backward(0, false);
      add_backward(1, false);
    }
    for (int i = 0; i < behind_; ++i) add_backward(0, true);
    for (const int chunk : {1, 0})
      while (weights_[chunk] < backward_[chunk]) add_weights(chunk);
    return std::move(order_);
  }

 private:
  void add_forward(int chunk) { order_.push_back({false, forward_[chunk]++, chunk, false}); }
  void add_weights(int chunk) { order_.push_back({false, weights_[chunk]++, chunk, true}); }
  void add_backward(int chunk, bool with_weights) {
    order_.push_back({true, backward_[chunk]++, chunk, false});
    if (with_weights) add_weights(chunk);
  }

  int micro_batches_, before_, behind_;
  std::array<int, 2> forward_{}, backward_{}, weights_{};  // passes so far, by chunk
  std::vector<PipelineTask> order_;
};

}  // namespace

bool splits_backward(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::zero_bubble_1p || schedule == PipelineSchedule::zero_bubble_2p ||
         schedule == PipelineSchedule::zero_bubble_v;
}

void check_shape(const PipelineShape& shape) {
  check_count("stage", shape.stages);
  check_count("chunk a stage", shape.chunks);
  check_count("micro-batch", shape.micro_batches);
  const bool vee = shape.schedule == PipelineSchedule::zero_bubble_v;
  if (vee && shape.chunks != 2)
    throw InputError(fmt::format("zero-bubble-v has 2 chunks a stage, not {}", shape.chunks));
  if (!vee && shape.schedule != PipelineSchedule::interleaved && shape.chunks > 1) {
    throw InputError(
        fmt::format("{} chunks a stage want the interleaved schedule, not {}", shape.chunks, name(shape.schedule)));
  }
  const int fewest = !splits_backward(shape.schedule)                     ? 1
                     : shape.schedule == PipelineSchedule::zero_bubble_1p ? shape.stages
                                                                          : 2 * shape.stages - 1;
  if (shape.micro_batches < fewest)
    throw Infeasible(fmt::format("{} micro-batches do not fill the {} stages of {}; {} do", shape.micro_batches,
                                 shape.stages, name(shape.schedule), fewest));
  if (!vee && shape.chunks > 1 && shape.micro_batches % shape.stages != 0) {
    const int below = shape.micro_batches / shape.stages * shape.stages;
    const int above = below + shape.stages;
    const int nearest = below > 0 && shape.micro_batches - below <= above - shape.micro_batches ? below : above;
    throw Infeasible(
        fmt::format("the interleaved schedule takes a multiple of its {} stages of micro-batches, not {}; "
                    "the nearest is {}",
                    shape.stages, shape.micro_batches, nearest));
  }
}

std::vector<PipelineTask> pipeline_order(const PipelineShape& shape, int stage) {
  check_shape(shape);
  if (shape.schedule == PipelineSchedule::zero_bubble_v) return VeeOrder(shape, stage).tasks();
  if (splits_backward(shape.schedule)) return zero_bubble_order(shape, stage);
  return shape.schedule == PipelineSchedule::gpipe ? gpipe_order(shape.micro_batches) : alternating_order(shape, stage);
}

std::vector<int> micro_batches_in_flight(const PipelineShape& shape, int stage, const std::vector<double>& weights) {
  if (shape.schedule == PipelineSchedule::gpipe) return {shape.micro_batches};
  // A pipe that is full goes round: it holds no more whatever follows.
  constexpr int kRounds = 4;
  PipelineShape full = shape;
  full.micro_batches = std::min(shape.micro_batches, kRounds * shape.stages);
  std::vector<int> now(shape.chunks), fullest = now;
  double most = 0;
  for (const PipelineTask& task : pipeline_order(full, stage)) {
    const bool leaves = splits_backward(shape.schedule) ? task.weights : task.backward;
    if (!leaves && task.backward) continue;
    now[task.chunk] += leaves ? -1 : 1;
    const double weight = std::inner_product(now.begin(), now.end(), weights.begin(), 0.0);
    if (weight <= most) continue;
    most = weight;
    fullest = now;
  }
  return fullest;
}

}  // namespace mlsim::workloads
