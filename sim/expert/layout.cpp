#include "sim/expert/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/layout_defaults.hpp"
#include "sim/plan/model_part.hpp"
#include "sim/plan/part_memory.hpp"

namespace mlsim::sim {
namespace {

constexpr int kMostTensorRanks = 8;      // all-reduces in every layer want the fast links of one node
constexpr int kMicroBatchesOfStage = 4;  // of a pipeline: its bubble is then a fifth of the step or less

// A `Split` takes ranks from the data axis.
struct Split {
  Axis axis = Axis::data;
  int ranks = 1;
  int stages = 1;
  bool rows = false;  // of embedding tables

  std::string text() const {
    if (ranks == 1 && stages == 1) return {};
    const std::string along = fmt::format("{}={}", name(axis), ranks);
    return stages == 1 ? along : fmt::format("{},pipeline={},micro_batches={}", along, stages, micro_batches());
  }
  int micro_batches() const { return stages == 1 ? 1 : kMicroBatchesOfStage * stages; }
};

// A `Fitter` tries layouts of one question.
class Fitter {
 public:
  Fitter(const PredictRequest& request, const Plan& plan, Bytes room)
      : request_(request),
        plan_(plan),
        room_(room),
        told_(names_batch(request) ? plan.global_batch() : 0),
        flash_(plan.model) {
    set_attention(flash_, AttentionKernels::flash);
  }

  // Lists the layout of the split that costs least, and where a batch is told that it holds in parts only, the one that
  // costs least of those that hold it whole.
  std::vector<Layout> cheapest(const Split& split) const {
    std::vector<Layout> found;
    for (const Layout& measures : measures_in_order()) {
      Layout layout = measures;
      layout.parallelism = split.text();
      layout.rows = split.rows;
      if (!fits(split, layout)) continue;
      const bool whole = told_ <= double(layout.most_samples) * layout.groups;
      if (whole && told_ > 0 && layout.recompute) layout = with_least_recompute(split, std::move(layout));
      if (found.empty() || whole) found.push_back(layout);
      if (whole) break;
    }
    return found;
  }

  std::vector<Layout> all() const {
    std::vector<Layout> found;
    const auto take = [&](const Split& split) {
      const std::vector<Layout> layouts = cheapest(split);
      found.insert(found.end(), layouts.begin(), layouts.end());
      return !layouts.empty();
    };
    take({});
    const bool plain = !found.empty() && found.front().plain();
    if (!request_.parallelism.empty() || !request_.options.parallelism.mesh.empty()) return found;
    if (plain && !has_layer(LayerKind::embedding_bag)) return found;
    for (const auto& [kind, axis] :
         {std::pair(LayerKind::expert_dense, Axis::expert), std::pair(LayerKind::embedding_bag, Axis::embedding)}) {
      if (!has_layer(kind)) continue;
      for (int ranks = 2; !plain && divides(ranks); ranks *= 2)
        if (take({axis, ranks})) break;
    }
    // All published runs of DLRM, on 4 to 128 accelerators, have each table on one of them.
    const int data = plan_.step.parallelism[Axis::data];
    if (has_layer(LayerKind::embedding_bag) && data > 1 && !take({Axis::embedding, data}) && is_open("table_placement"))
      take({.axis = Axis::embedding, .ranks = data, .rows = true});
    if (plain) return found;
    const int node =
        std::min(kMostTensorRanks, plan_.cluster->grid ? kMostTensorRanks : plan_.cluster->accelerators_per_node);
    for (int ranks = 2; ranks <= node && divides(ranks); ranks *= 2) take({Axis::tensor, ranks});
    for (int stages = 2; found.empty() && divides(node * stages); stages *= 2) take({Axis::tensor, node, stages});
    return found;
  }

 private:
  // Runs as few blocks of each chunk again as hold the batch that is told.
  Layout with_least_recompute(const Split& split, Layout layout) const {
    const int stages = plan_.step.parallelism[Axis::pipeline] * split.stages;
    int enough = repetitions_of(plan_.model) / (stages * plan_.options.parallelism.pipeline_chunks);
    if (plan_.options.parallelism.schedule() == PipelineSchedule::gpipe) return layout;
    for (int too_few = 0; enough - too_few > 1;) {
      Layout fewer = layout;
      fewer.recompute_blocks = (enough + too_few) / 2;
      const bool holds = fits(split, fewer) && told_ <= double(fewer.most_samples) * fewer.groups;
      (holds ? enough : too_few) = fewer.recompute_blocks;
      if (holds) layout = fewer;
    }
    return layout;
  }

  bool has_layer(LayerKind kind) const {
    const auto& layers = plan_.model.layers;
    return std::any_of(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.kind == kind; });
  }

  bool divides(int ranks) const {
    const int data = plan_.step.parallelism[Axis::data];
    return ranks <= data && data % ranks == 0;
  }

  bool is_open(const std::string& key) const { return !request_.options.given.contains(key); }

  // Lists what makes room, the least costly first; each keeps what was asked.
  std::vector<Layout> measures_in_order() const {
    const MemoryOptions& memory = request_.options.memory;
    const bool may_shard = !memory.sharding && !plan_.step.shards(StateSharding::optimizer) &&
                           !plan_.software.servers && !request_.options.exchange.uses_horovod() &&
                           !plan_.step.parallelism.used(kGradientAxes).empty();
    const bool may_fuse = has_attention(plan_.model) && is_open("attention") &&
                          request_.options.software.attention == AttentionKernels::unfused;
    // Beside fused attention selective recompute has nothing to do: it says that activations do not fit.
    const bool says_nothing = memory.recompute == Recompute::selective &&
                              memory.recompute_modules == MemoryOptions().recompute_modules &&
                              request_.options.software.attention != AttentionKernels::unfused;
    const bool may_recompute = says_nothing || (memory.recompute == Recompute::off && is_open("recompute"));
    std::vector<Layout> measures;
    for (const bool recompute : {false, true})
      for (const bool flash : {false, true})
        for (const bool sharded : {false, true}) {
          if ((recompute && !may_recompute) || (flash && !may_fuse) || (sharded && !may_shard)) continue;
          Layout& layout = measures.emplace_back();
          layout.flash = flash;
          if (sharded) layout.sharding = StateSharding::optimizer;
          if (recompute) layout.recompute = Recompute::full;
        }
    return measures;
  }

  bool fits(const Split& split, Layout& layout) const {
    StepPlan step = plan_.step;
    step.parallelism[split.axis] *= split.ranks;
    step.parallelism[Axis::pipeline] *= split.stages;
    step.parallelism[Axis::data] /= split.ranks * split.stages;
    if (layout.recompute) {
      step.recompute = *layout.recompute;
      step.recompute_blocks = layout.recompute_blocks;
    }
    step.sharding = std::max(step.sharding, layout.sharding.value_or(StateSharding::none));
    if (step.parallelism.used(kGradientAxes).empty()) step.sharding = StateSharding::none;
    if (split.stages > 1) step.micro_batches = split.micro_batches();
    step.batch_per_accelerator = step.micro_batches;
    const Model& model = layout.flash ? flash_ : plan_.model;
    // As the plan has what the question leaves open.
    ParallelismOptions options = plan_.options.parallelism;
    if (split.rows) options.table_placement = TableCut::row;
    const PartSource source{model, plan_.cluster->accelerator, with_split_tokens(options, model, step.parallelism)};
    const std::optional<ModelPart> part = possible_split(source, step);
    if (!part) return false;
    layout.groups = step.parallelism.batch_ranks();
    layout.micro_batches = step.micro_batches;
    layout.most_samples = sim::most_samples(*part, step, room_);
    return layout.most_samples >= step.micro_batches;
  }

  const PredictRequest& request_;
  const Plan& plan_;
  Bytes room_;
  double told_;  // global batch; 0 where it is left open
  Model flash_;
};

}  // namespace

std::string Layout::text() const {
  std::string text = parallelism;
  const auto add = [&](bool is, const std::string& setting) {
    if (is) text += (text.empty() ? "" : ", ") + setting;
  };
  add(rows, "table_placement=row");
  add(flash, "attention=flash");
  add(sharding.has_value(), fmt::format("sharding={}", name(sharding.value_or(StateSharding::none))));
  add(across_slices, "sharding_ranks=all");
  const std::string blocks = recompute_blocks > 0 ? fmt::format(":{}", recompute_blocks) : "";
  add(recompute.has_value(), fmt::format("recompute={}{}", name(recompute.value_or(Recompute::off)), blocks));
  return text;
}

PredictRequest Layout::of(PredictRequest request) const {
  if (!parallelism.empty()) request.parallelism = parallelism;
  if (rows) request.options.parallelism.table_placement = TableCut::row;
  if (flash) request.options.software.attention = AttentionKernels::flash;
  if (sharding) request.options.memory.sharding = sharding;
  if (across_slices) request.options.memory.sharding_ranks = ShardingRanks{};
  if (recompute) {
    request.options.memory.recompute = *recompute;
    request.options.memory.recompute_blocks = recompute_blocks;
  }
  return request;
}

std::vector<Layout> layouts_that_fit(const PredictRequest& request, const Plan& plan, Bytes room) {
  std::vector<Layout> layouts = Fitter(request, plan, room).all();
  const Bytes memory = plan.cluster->accelerator.memory.value;
  return layouts.empty() && room < memory ? Fitter(request, plan, memory).all() : layouts;
}

}  // namespace mlsim::sim
