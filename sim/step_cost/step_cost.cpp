#include "sim/step_cost/step_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/exchange/planned_exchange.hpp"
#include "workloads/lowering/step_graph.hpp"

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

// Counts the launches of a kernel that wait for one another. A loop over tensors has a chain of kernels for each
// tensor, and what prepares the chains does so side by side (tensorflow/core/common_runtime/executor.cc: every node
// that is ready is scheduled, the cheap ones at once). A pass is one chain.
double launches_in_turn(const KernelWork& work) {
  const auto* update = std::get_if<OptimizerShape>(&work.key.shape);
  if (!update || update->tensors < 1) return work.launches;
  return std::max(1.0, std::ceil(double(work.launches) / double(update->tensors)));
}

Launches launches_of(const StepNode& node) {
  Launches launches;
  for_kernels_of(node, [&](const KernelWork& work) { launches += {double(work.launches), launches_in_turn(work)}; });
  return launches;
}

// Counts the kernels that the stage with most of them launches in a step, or in its passes alone. Micro-batches share
// their sequences.
Launches most_launches(const StepGraph& graph, bool passes_only = false) {
  std::map<int, Launches> launches;
  std::map<const void*, Launches> sequences;
  for (const StepNode& node : graph) {
    if (!is_compute(node) || (passes_only && !is_pass(node))) continue;
    if (!node.sequence) {
      launches[node.role] += launches_of(node) * node.repeats;
      continue;
    }
    const auto [known, fresh] = sequences.try_emplace(node.sequence.get());
    if (fresh) known->second = launches_of(node);
    launches[node.role] += known->second * node.repeats;
  }
  Launches most;
  for (const auto& [role, count] : launches) {
    if (count.all > most.all) most = count;
  }
  return most;
}

}  // namespace

std::vector<Seconds> slowed_by_exchange(const StepOrder& order, const std::vector<Seconds>& duration, double slowdown) {
  return EvenRun(order, duration, slowdown).times();
}

KernelCost own_cost(const Plan& plan, const PredictRequest& request) {
  KernelCost cost =
      KernelCost(plan.cluster->accelerator, plan.step.precision, request.builtin_profiles, request.own_profiles)
          .at({1, stack_contention(plan)});
  if (is_language_model(plan.model.sort)) cost = cost.by_operators(plan.software.stack);
  if (request.options.software.attention == AttentionKernels::flash_1) cost = cost.with_first_flash();
  if (plan.model.family == ModelFamily::convolutional)
    cost = cost.for_images(plan.step.batch_per_accelerator / plan.step.micro_batches);
  if (request.own_profiles.empty() || !cost.depends_on_step()) return cost;
  return cost.for_step(step_traffic(lower(plan.part->sharded, plan.step)));
}

StepCost::StepCost(const LoweredPlan& lowered, const StepTerms& terms, const KernelCost& cost)
    : graph_(*lowered.graph),
      terms_(terms),
      pace_(cost.pace()),
      framework_time_(terms.framework_time(most_launches(*lowered.graph))),
      order_(*lowered.graph) {
  const auto vertices = lowered.graph->size();
  kernel_.resize(vertices);
  flop_.resize(vertices);
  host_.resize(vertices);
  for (const Bytes offloaded : lowered.offloaded) copies_.push_back(offloaded / terms.host_link);
  for (std::size_t v = 0; v < vertices; ++v) {
    const StepNode& node = (*lowered.graph)[v];
    if (is_compute(node)) {
      add_kernels(v, cost);
    } else if (node.kind == NodeKind::host_work) {
      const bool input = node.part == StepPart::input;
      kernel_[v].fixed = (input ? framework_time_ + terms_.input_time(node) : node.host_time) * node.repeats;
      if (node.payload > Bytes(0)) kernel_[v].fixed += node.payload / terms_.host_link;
    } else {
      const Seconds time = lowered.collectives.at(key_of(node)).time(node.payload, terms_.call, terms_.per_exchange);
      kernel_[v].fixed = time * node.repeats;
    }
  }
}

Seconds StepCost::launch_time(const KernelCost& cost) const {
  return most_launches(graph_, true).all * terms_.launch_time(cost.curve().per_kernel);
}

void StepCost::add_kernels(std::size_t vertex, const KernelCost& cost) {
  const StepNode& node = graph_[vertex];
  VertexCost& sum = kernel_[vertex];
  const bool on_host = node.part == StepPart::optimizer && terms_.host_update > BytesPerSecond(0);
  const auto add = [&](const KernelWork& work) {
    if (on_host) {
      sum.fixed += work.bytes / terms_.host_update * node.repeats;
      return;
    }
    const KernelTime time = cost.time(work);
    sum.work += time.work * node.repeats;
    sum.least += time.least * node.repeats;
    sum.fixed += (time.fixed + terms_.per_kernel * launches_in_turn(work)) * node.repeats;
    BasisPart& part = sum.parts[static_cast<std::size_t>(time.basis)];
    part.work += time.work * node.repeats;
    part.fixed += time.fixed * node.repeats;
    part.spread += time.fixed * (time.log_spread * node.repeats);
    flop_[vertex] += work.flop * node.repeats;
    if (is_pass(node)) host_[vertex] += terms_.host_per_kernel * (double(work.launches) * node.repeats);
  };
  if (node.kind == NodeKind::kernel) return add(*node.work);
  // Micro-batches share their sequences.
  const auto [known, fresh] = sequences_.try_emplace({node.sequence.get(), node.repeats}, vertex);
  if (!fresh) {
    sum = kernel_[known->second];
    flop_[vertex] = flop_[known->second];
    host_[vertex] = host_[known->second];
    return;
  }
  for (const KernelWork& work : *node.sequence) add(work);
}

Flop StepCost::flop() const { return std::accumulate(flop_.begin(), flop_.end(), Flop(0)); }

std::array<StepCost::BasisShare, kCostBases> StepCost::basis_shares() const {
  std::array<BasisShare, kCostBases> shares{};
  Seconds all;
  for (std::size_t v = 0; v < kernel_.size(); ++v) {
    for (std::size_t basis = 0; basis < kCostBases; ++basis) {
      const BasisPart& part = kernel_[v].parts[basis];
      const Seconds time = part.work / pace_.of(graph_[v].part) + part.fixed;
      shares[basis].share += time.value;
      shares[basis].log_spread += part.spread.value;
      all += time;
    }
  }
  for (BasisShare& each : shares) {
    if (each.share > 0) each.log_spread /= each.share;
    if (all.value > 0) each.share /= all.value;
  }
  return shares;
}

// Says whether the vertex is a kernel of a pass on one of several ranks.
bool StepCost::beside_others(std::size_t vertex) const {
  const StepNode& node = graph_[vertex];
  return is_pass(node) && is_compute(node) && terms_.ranks > 1;
}

std::map<std::pair<int, StepPart>, StepCost::PassTimes> StepCost::pass_times(
    const std::vector<Seconds>& duration) const {
  std::map<std::pair<int, StepPart>, PassTimes> passes;
  std::vector<Seconds> both(copies_.size());  // by role: both passes
  for (std::size_t v = 0; v < host_.size(); ++v) {
    if (!beside_copies_or_host(v)) continue;
    const StepNode& node = graph_[v];
    PassTimes& times = passes[{node.role, node.part}];
    times.device += duration[v];
    times.host += host_[v];
    if (!copies_.empty()) both[node.role] += duration[v];
  }
  if (copies_.empty()) return passes;
  // Stages alternate between passes of different micro-batches, and a link has two directions, so that copies of either
  // run beside both passes; with one stage those of a pass run beside it alone.
  for (auto& [pass, times] : passes)
    times.copies = copies_[pass.first] * (copies_.size() > 1 ? times.device / both[pass.first] : 1);
  return passes;
}

StepCost::HostFloor StepCost::host_floor() const {
  HostFloor floor;
  std::map<int, Seconds> of_stage;
  for (const auto& [pass, times] : pass_times(unheld(pace_))) {
    of_stage[pass.first] += times.host;
    floor.time = max(floor.time, of_stage[pass.first]);
    floor.binds = floor.binds || times.host > times.device;
  }
  return floor;
}

Seconds StepCost::offload_wait() const {
  Seconds longest;
  std::map<int, Seconds> of_stage;
  for (const auto& [pass, times] : pass_times(unheld(pace_))) {
    Seconds& wait = of_stage[pass.first];
    wait += max(times.copies - max(times.device, times.host), Seconds(0));
    longest = max(longest, wait);
  }
  return longest;
}

Seconds StepCost::exchange_time() const {
  const std::vector<Seconds> duration = unheld(pace_);
  Seconds longest;
  std::map<int, Seconds> of_stage;
  for (std::size_t v = 0; v < duration.size(); ++v) {
    if (graph_[v].stream != Stream::communication) continue;
    Seconds& time = of_stage[graph_[v].role];
    time += duration[v];
    longest = max(longest, time);
  }
  return longest;
}

// A host runs ahead of its accelerator as long as that is the slower one, and copies run beside the kernels: each pass
// of a stage takes the longest of the three, and all its kernels stretch alike.
void StepCost::hold_to_host(std::vector<Seconds>& duration) const {
  const auto passes = pass_times(duration);
  for (std::size_t v = 0; v < host_.size(); ++v) {
    if (!beside_copies_or_host(v)) continue;
    const PassTimes& times = passes.at({graph_[v].role, graph_[v].part});
    if (const Seconds beside = max(times.host, times.copies); beside > times.device)
      duration[v] = duration[v] * (beside / times.device);
  }
}

// Runs on record may be quicker side by side than alone; no kernel is quicker than its units.
double StepCost::contention_factor(std::size_t vertex, const Pace& pace) const {
  if (!beside_others(vertex)) return 1;
  const double factor = 1 + pace.contention;
  if (factor >= 1) return factor;
  const Seconds alone = undisturbed(vertex, pace), least = kernel_[vertex].least;
  return alone > Seconds(0) ? std::max(factor, least / alone) : factor;
}

std::vector<Seconds> StepCost::unheld(const Pace& pace) const {
  std::vector<Seconds> duration;
  duration.reserve(kernel_.size());
  for (std::size_t v = 0; v < kernel_.size(); ++v) {
    duration.push_back(undisturbed(v, pace) * contention_factor(v, pace) * skew_factor(v));
  }
  return duration;
}

std::vector<Seconds> StepCost::durations(const Pace& pace) const {
  std::vector<Seconds> duration = unheld(pace);
  hold_to_host(duration);
  const double slowdown = terms_.overlap_slowdown;
  return slowdown == 0 ? duration : slowed_by_exchange(order_, duration, slowdown);
}

}  // namespace mlsim::sim
