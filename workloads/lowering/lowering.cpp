#include "workloads/lowering/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/gradient_exchange.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/lowering/parameter_gather.hpp"
#include "workloads/lowering/step_builder.hpp"
#include "workloads/model/model.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

class Lowering {
 public:
  Lowering(const ShardedModel& sharded, const StepPlan& plan, StepGraph& graph)
      : sharded_(sharded),
        model_(sharded.model),
        plan_(plan),
        batch_(plan.batch_per_accelerator / plan.micro_batches),
        groups_(kernel_groups(sharded.model, plan.fusion)),
        group_of_(group_of_layer(groups_)),
        builder_(graph),
        exchange_(sharded, plan, builder_),
        gather_(sharded, plan, builder_),
        trained_(layers_in_backward(sharded.model, sharded.inputs_trained)),
        exchanges_of_(sharded.model.layers.size()),
        is_output_(sharded.model.layers.size()) {
    if (plan.recompute == Recompute::full) find_repetitions();
    if (plan.recompute == Recompute::selective)
      again_ = layers_again(model_, plan.recompute_modules, plan.recompute_blocks);
    for (std::size_t i = 0; i < sharded.exchanges.size(); ++i) exchanges_of_[sharded.exchanges[i].layer].push_back(i);
    for (const int layer : sharded.outputs) is_output_[layer] = true;
  }

  void add_input() {
    start_ = {builder_.add_input(input_samples(plan_))};
    if (!plan_.parameter_servers) return;
    Bytes variables;
    for (const auto& bucket : exchange_.buckets()) variables += Bytes(4) * double(bucket.parameters);
    start_.push_back(builder_.add_collective(CollectiveKind::parameter_pull, "variables",
                                             plan_.parallelism.used(kGradientAxes), variables, {}));
  }

  // Adds the forward and backward pass of one micro-batch, or of several in `repeats`.
  void add_passes(int repeats, bool last) {
    builder_.set_repeats(repeats);
    if (!last && plan_.reduces_each_micro_batch()) early_exchange_.emplace(sharded_, plan_, builder_);
    add_forward();
    add_backward(last);
    if (!last && early_exchange_) early_exchange_->finish();
    builder_.set_repeats(1);
  }

  void add_update() {
    exchange_.finish();
    if (plan_.parameter_servers) return;
    if (!exchange_.buckets().empty()) add_dense_update();
    for (std::size_t s = 0; s < exchange_.sparse().size(); ++s) add_sparse_update(s);
  }

 private:
  const Layer& layer(int i) const { return model_.layers[i]; }
  const Layer& leader(const KernelGroup& group) const { return layer(group.layers.front()); }

  static bool is_host(const Layer& layer) { return operator_of(layer.kind).operator_class == OperatorClass::host; }
  static bool is_loss(const Layer& layer) { return operator_of(layer.kind).operator_class == OperatorClass::loss; }

  bool inputs_trained(const Layer& each) const {
    return std::any_of(each.inputs.begin(), each.inputs.end(),
                       [&](int input) { return input >= 0 ? trained_[input] : sharded_.inputs_trained; });
  }

  void find_repetitions() {
    const auto repetition = first_repetitions(model_, plan_.recompute_blocks);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      repetition_of_group_.push_back(repetition[groups_[g].layers.front()]);
      if (repetition_of_group_.back() < 0) continue;
      const auto r = static_cast<std::size_t>(repetition_of_group_.back());
      if (groups_of_repetition_.size() <= r) groups_of_repetition_.resize(r + 1);
      groups_of_repetition_[r].push_back(g);
    }
  }

  void add_forward() {
    ready_.assign(groups_.size(), {});
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Vertices after = inputs_ready(groups_[g]);
      append(after, gather_.before_forward(groups_[g].layers.front(), start_));
      if (const Layer& first = leader(groups_[g]); is_host(first)) {
        ready_[g] = {add_host_layer(first, after)};
      } else {
        ready_[g] = add_group_forward(groups_[g], StepPart::forward, "forward", after);
      }
    }
  }

  // Independent branches run on the cores that share a sample.
  Seconds program_time(const Layer& layer) const {
    const Parallelism& split = plan_.parallelism;
    const int cores = plan_.cores * split.ranks() / split.batch_ranks();
    const int of_a_sample = std::max(1, static_cast<int>(cores / std::max(1.0, batch_)));
    return layer.batch_time / static_cast<double>(std::min(layer.branches, of_a_sample));
  }

  StepVertex add_host_layer(const Layer& layer, const Vertices& after) {
    if (plan_.one_program && layer.batch_time > Seconds(0))
      return builder_.add_host_layer(layer.name, Stream::compute, program_time(layer), after);
    return builder_.add_host_layer(layer.name, Stream::host, layer.host_time * batch_, after);
  }

  // Adds what ranks exchange before the group, its kernels, and what they exchange behind it.
  Vertices add_group_forward(const KernelGroup& group, StepPart part, const char* what, Vertices after) {
    Vertices beside = add_exchanges(group, Moment::before_forward, part, after, true);
    append(beside, add_exchanges(group, Moment::after_forward, part, after, true));
    after = add_exchanges(group, Moment::before_forward, part, std::move(after));
    const Kernels kernels = loaded(forward_work(model_, group, plan_.fusion, batch_, plan_.precision), group);
    after = builder_.add_kernels(part, fmt::format("{} {}", name_of(group), what), kernels, std::move(after));
    append(after, beside);
    return add_exchanges(group, Moment::after_forward, part, std::move(after));
  }

  // Adds those of the group's exchanges that hold up its kernels, or those that run beside them, which wait for `after`
  // like the kernels.
  Vertices add_exchanges(const KernelGroup& group, Moment moment, StepPart part, Vertices after, bool beside = false) {
    const Vertices begin = after;
    if (beside) after.clear();
    for (const int member : group.layers) {
      for (const std::size_t i : exchanges_of_[member]) {
        const LayerExchange& each = sharded_.exchanges[i];
        const AxisSet axes = plan_.parallelism.used(each.axes);
        if (each.moment != moment || axes.empty() || each.beside != beside) continue;
        const Bytes per_sample = element_size(plan_.precision) * each.elements_per_sample + each.bytes_per_sample;
        const Bytes payload = per_sample * batch_ + each.fixed;
        const StepVertex added = builder_.add_exchange(part, each.kind, each.what, axes, payload,
                                                       beside ? begin : after, beside, each.copies);
        beside ? after.push_back(added) : void(after = {added});
      }
    }
    return after;
  }

  // A rank's kernels do as much as the busiest rank has to.
  Kernels loaded(Kernels kernels, const KernelGroup& group) const {
    const double load = sharded_.load[group.layers.front()];
    if (load == 1) return kernels;
    for (KernelWork& work : kernels) {
      work.flop *= load;
      work.bytes *= load;
      work.products *= load;
    }
    return kernels;
  }

  void add_backward(bool last) {
    gradient_sources_.assign(model_.layers.size(), {});
    std::vector<bool> recomputed(groups_of_repetition_.size());
    for (std::size_t g = groups_.size(); g-- > 0;) {
      const KernelGroup& group = groups_[g];
      const int end = group.layers.back();
      if (!trained_[end]) continue;
      Vertices after = std::move(gradient_sources_[end]);
      if (after.empty()) {
        // Without a gradient only the host reads the output: none comes back.
        if (!is_loss(layer(end)) && !is_output_[end]) continue;
        after = ready_[g];
      }
      append(after, gather_.before_backward(end));
      if (!again_.empty()) after = add_kernels_again(group, std::move(after));
      if (plan_.recompute == Recompute::full && repetition_of_group_[g] >= 0 && !recomputed[repetition_of_group_[g]]) {
        recomputed[repetition_of_group_[g]] = true;
        append(after, add_recompute(repetition_of_group_[g], after));
      }
      add_group_backward(group, after, last);
    }
  }

  // Those of the group's layers that run again find kept what ranks exchanged before them, but in mixtures.
  Vertices add_kernels_again(const KernelGroup& group, Vertices after) {
    const KernelGroup part = part_again(group, again_);
    if (part.layers.empty()) return after;
    if (again_[part.layers.front()].exchanges)
      return add_group_forward(part, StepPart::backward, "recompute", std::move(after));
    const Kernels kernels = loaded(forward_work(model_, part, plan_.fusion, batch_, plan_.precision), part);
    return builder_.add_kernels(StepPart::backward, name_of(group) + " recompute", kernels, std::move(after));
  }

  // Runs the forward kernels of a repetition once more.
  Vertices add_recompute(std::size_t repetition, Vertices after) {
    for (const std::size_t g : groups_of_repetition_[repetition]) {
      if (is_host(leader(groups_[g]))) continue;
      after = add_group_forward(groups_[g], StepPart::backward, "recompute", std::move(after));
    }
    return after;
  }

  void add_group_backward(const KernelGroup& group, Vertices after, bool last) {
    Vertices beside = add_exchanges(group, Moment::before_backward, StepPart::backward, after, true);
    append(beside, add_exchanges(group, Moment::after_backward, StepPart::backward, after, true));
    after = add_exchanges(group, Moment::before_backward, StepPart::backward, std::move(after));
    auto work = backward_work(model_, group, plan_.fusion, batch_, plan_.precision, inputs_trained(leader(group)));
    work.input_gradient = loaded(std::move(work.input_gradient), group);
    work.weight_gradient = loaded(std::move(work.weight_gradient), group);
    const std::string name = name_of(group);
    Vertices gradient = builder_.add_kernels(StepPart::backward, name + (work.matrix ? " input gradient" : " backward"),
                                             work.input_gradient, after);
    const Vertices made = gradient;
    append(gradient, beside);
    gradient = add_exchanges(group, Moment::after_backward, StepPart::backward, std::move(gradient));
    for (const int input : outside_inputs(group)) {
      if (input < 0 || !trained_[input]) continue;
      auto& sources = gradient_sources_[input];
      sources.insert(sources.end(), gradient.begin(), gradient.end());
    }
    const Vertices weights = work.weight_gradient.empty()
                                 ? made
                                 : builder_.add_weight_gradient(name + " weight gradient", work.weight_gradient, after);
    if (!last && !early_exchange_) return;
    for (const int member : group.layers) {
      if (has_weight_gradient(layer(member))) (last ? exchange_ : *early_exchange_).add(member, weights);
    }
  }

  // A shard is tensors that the same ranks share.
  struct Shard {
    AxisSet axes;
    std::int64_t parameters = 0;  // parameters of one rank
    int tensors = 0;
  };

  // Each rank has its part of the parameters with sharded update; the largest one counts. Without it each core of an
  // accelerator that is a replica of its own updates all of what the ranks share; what they split, it splits too.
  std::vector<Shard> shards() const {
    std::vector<Shard> all;
    for (const auto& bucket : exchange_.buckets()) {
      auto shard = std::find_if(all.begin(), all.end(), [&](const Shard& s) { return s.axes == bucket.axes; });
      if (shard == all.end()) shard = all.insert(all.end(), {bucket.axes, 0, 0});
      shard->parameters += bucket.parameters;
      shard->tensors += static_cast<int>(bucket.tensors.size());
    }
    for (Shard& shard : all) {
      const int ranks = plan_.shard_ranks(shard.axes);
      const bool copied =
          !plan_.shards(StateSharding::optimizer) && shard.axes == plan_.parallelism.used(kGradientAxes);
      shard.parameters = (shard.parameters + ranks - 1) / ranks * (copied ? plan_.cores : 1);
    }
    return all;
  }

  void add_dense_update() {
    const std::vector<Shard> all = shards();
    std::int64_t parameters = 0;
    int tensors = 0;
    for (const Shard& shard : all) {
      parameters += shard.parameters;
      tensors += shard.tensors;
    }
    const UpdateCost cost = update_cost(plan_.optimizer, plan_.multi_tensor);
    const auto work = [&](const UpdatePass& pass) {
      return update_work(pass, parameters, tensors, plan_.multi_tensor ? pass.kernels : pass.kernels * tensors);
    };
    Vertices after = exchange_.dense_ready();
    const bool on_host = plan_.offload.optimizer;
    if (on_host)
      after = {builder_.add_host_copy("gradients to the host", plan_.gradient_element * double(parameters), after)};
    for (const GuardPass& guard : guard_passes(plan_.guard)) {
      after = {builder_.add_kernel(StepPart::optimizer, guard.name, work(guard.pass), after)};
      if (guard.adds_up) after = add_norm_sums(guard.name, all, after, Bytes(4));
    }
    const auto optimizer = mlsim::name(plan_.optimizer);
    if (cost.norms.kernels > 0) {
      const auto norms = fmt::format("{} norms", optimizer);
      after = {builder_.add_kernel(StepPart::optimizer, norms, work(cost.norms), after)};
      after = add_norm_sums(norms, all, after);
    }
    StepVertex update =
        builder_.add_kernel(StepPart::optimizer, fmt::format("{} update", optimizer), work(cost.update), after);
    if (on_host)
      update = builder_.add_host_copy("weights from the host", plan_.gathered_weight() * double(parameters), {update});
    if (plan_.gathers_in_pass()) return;  // the next step gathers them
    for (std::size_t b = 0; b < exchange_.buckets().size(); ++b) {
      const auto& bucket = exchange_.buckets()[b];
      const Bytes weights = plan_.gathered_weight() * double(bucket.parameters);
      const AxisSet axes = plan_.shard_axes(bucket.axes);
      if (axes.empty()) continue;
      const StepVertex gathered =
          builder_.add_collective(CollectiveKind::all_gather, fmt::format("weights {}", b), axes, weights, {update});
      if (!plan_.pipelined_summation)
        builder_.add_copies(fmt::format("scatter of weights {}", b), weights, int(bucket.tensors.size()), {gathered});
    }
  }

  // Ranks that hold parts of a tensor add up its norm: two sums of squares per tensor, fp32, of the weights and of the
  // gradients or steps; or one sum `of_all` tensors.
  Vertices add_norm_sums(const std::string& norms, const std::vector<Shard>& all, Vertices after, Bytes of_all = {}) {
    const AxisSet split = plan_.parallelism.used(Axis::tensor);
    for (const Shard& shard : all) {
      const AxisSet axes = plan_.shard_axes(shard.axes) | split;
      if (axes.empty()) continue;
      const Bytes payload = of_all > Bytes(0) ? of_all : Bytes(8.0 * shard.tensors);
      after = {builder_.add_collective(CollectiveKind::all_reduce, norms, axes, payload, after)};
    }
    return after;
  }

  // Every rank updates the rows of all ranks.
  void add_sparse_update(std::size_t s) {
    const SparseGradient& gradient = exchange_.sparse()[s];
    const auto elements = static_cast<std::int64_t>(gradient.updated_rows * double(gradient.width));
    builder_.add_kernel(
        StepPart::optimizer,
        fmt::format("{} update of rows of {}", mlsim::name(plan_.optimizer), layer(gradient.layer).name),
        update_work(row_update(plan_.optimizer), elements, static_cast<int>(layer(gradient.layer).rows.size())),
        exchange_.sparse_ready(s));
  }

  static void append(Vertices& to, const Vertices& from) { to.insert(to.end(), from.begin(), from.end()); }

  std::vector<int> outside_inputs(const KernelGroup& group) const {
    std::vector<int> inputs;
    for (const int member : group.layers) {
      for (const int input : layer(member).inputs) {
        if (input < 0 || group_of_[input] != group_of_[member]) inputs.push_back(input);
      }
    }
    return inputs;
  }

  Vertices inputs_ready(const KernelGroup& group) const {
    Vertices after;
    for (const int input : outside_inputs(group)) {
      if (input < 0) {
        after.insert(after.end(), start_.begin(), start_.end());
      } else {
        const auto& ready = ready_[group_of_[input]];
        after.insert(after.end(), ready.begin(), ready.end());
      }
    }
    return after;
  }

  // Names a group "stage1.block0.bn3+add+relu3".
  std::string name_of(const KernelGroup& group) const {
    std::string text = leader(group).name;
    for (std::size_t i = 1; i < group.layers.size(); ++i) {
      const auto& member = layer(group.layers[i]).name;
      text += "+" + member.substr(member.rfind('.') + 1);
    }
    return text;
  }

  const ShardedModel& sharded_;
  const Model& model_;
  const StepPlan& plan_;
  double batch_;  // samples of a micro-batch
  std::vector<KernelGroup> groups_;
  std::vector<int> group_of_;
  StepBuilder builder_;
  GradientExchange exchange_;                       // of the last micro-batch
  std::optional<GradientExchange> early_exchange_;  // of those before it, where gradients are sharded
  ParameterGather gather_;
  std::vector<bool> trained_;
  std::vector<std::vector<std::size_t>> exchanges_of_;  // by layer
  std::vector<bool> is_output_;                         // by layer
  std::vector<int> repetition_of_group_;                // with full recompute
  std::vector<LayerAgain> again_;                       // by layer, with selective
  std::vector<std::vector<std::size_t>> groups_of_repetition_;
  Vertices start_;                          // what the first layers wait for
  std::vector<Vertices> ready_;             // by group: what makes its result
  std::vector<Vertices> gradient_sources_;  // by layer: what makes the gradient of its output
};

}  // namespace

StepGraph lower(const ShardedModel& sharded, const StepPlan& plan) {
  check_plan(plan);
  StepGraph graph;
  Lowering lowering(sharded, plan, graph);
  lowering.add_input();
  // The first micro-batch alone waits for new weights that are gathered meanwhile.
  const bool first = plan.gathers_in_pass() && !plan.shards(StateSharding::parameters) && plan.micro_batches > 2 &&
                     plan.parallelism[Axis::pipeline] == 1;
  if (first) lowering.add_passes(1, false);
  if (plan.micro_batches > 1) lowering.add_passes(plan.micro_batches - (first ? 2 : 1), false);
  lowering.add_passes(1, true);
  lowering.add_update();
  return graph;
}

}  // namespace mlsim::workloads
