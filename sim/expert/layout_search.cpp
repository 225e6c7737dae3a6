#include "sim/expert/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "sim/plan/layout_defaults.hpp"
#include "sim/plan/part_memory.hpp"

namespace mlsim::sim {
namespace {

constexpr int kMostSearchedTensor = 8;    // all-reduces in every layer want the fast links of one node
constexpr int kLeastTokensOfRank = 4096;  // shorter samples are not cut by tokens: attention hides its exchange no more
constexpr std::size_t kMostTried = 64;    // layouts whose memory is worked out exactly
constexpr std::size_t kMostSmall = 16;    // of those that are estimated to need least
constexpr double kAsQuick = 1.02;         // a stage of a few layers is cut no finer for less
constexpr double kUnevenChunks = 1.1;     // of blocks that chunks do not divide: the longest chunk by their mean
constexpr double kEstimateSlack = 1.15;   // estimates of memory leave out scratch, runtime and the ends' vocabulary

std::vector<int> doublings(int most) {
  std::vector<int> all;
  for (int n = 1; n <= most; n *= 2) all.push_back(n);
  return all;
}

std::vector<int> divisors(int whole) {
  std::vector<int> all;
  for (int n = 1; n <= whole; ++n)
    if (whole % n == 0) all.push_back(n);
  return all;
}

// Counts of chunks into which blocks are cut: they need not divide, as where two of 128 places are those of embedding
// and head (MLPerf v5.0, 126 layers over 64 chunks), but the longest chunk is at most a tenth longer than their mean.
std::vector<int> cuts(int blocks, int parts_of_each) {
  std::vector<int> all;
  for (int n = 1; n * parts_of_each <= blocks; ++n) {
    const int parts = n * parts_of_each, longest = (blocks + parts - 1) / parts;
    if (longest * parts <= kUnevenChunks * blocks) all.push_back(n);
  }
  return all;
}

int experts_of(const Model& model) {
  int experts = 1;
  for (const Layer& layer : model.layers) experts = std::max(experts, layer.experts);
  return experts;
}

int tokens_of(const Model& model) { return model.inputs.empty() ? 1 : model.inputs.front().shape.height; }

// `LayoutChoices` goes through the choices of one question.
class LayoutChoices {
 public:
  LayoutChoices(const PredictRequest& request, const Plan& plan, double batch)
      : request_(request), plan_(plan), estimator_(plan, batch), repetitions_(repetitions_of(plan.model)) {}

  std::vector<FoundLayout> found(Bytes room, std::size_t most) {
    std::vector<std::pair<SplitChoice, LayoutEstimate>> all = estimated(room);
    const auto crosses = [](const auto& each) { return each.first.across_slices; };
    if (std::any_of(all.begin(), all.end(), crosses) && a_slice_holds(all, room)) std::erase_if(all, crosses);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second.time() < b.second.time(); });
    drop_finer_chunks(all);
    std::vector<FoundLayout> found;
    std::size_t tried = 0;
    for (const auto& [choice, estimate] : all) {
      if (found.size() == most || tried++ == kMostTried) break;
      const std::optional<Bytes> memory = exact_memory(choice);
      if (!memory || *memory > room) continue;
      found.push_back({layout(choice, estimate), estimate});
      found.back().estimate.memory = *memory;
    }
    return found;
  }

 private:
  bool is_open(const std::string& key) const { return !request_.options.given.contains(key); }

  std::vector<std::pair<SplitChoice, LayoutEstimate>> estimated(Bytes room) {
    std::vector<std::pair<SplitChoice, LayoutEstimate>> all;
    for (const SplitChoice& choice : choices()) {
      if (!estimator_.is_possible(choice) || estimator_.memory(choice) > kEstimateSlack * room) continue;
      all.emplace_back(choice, estimator_.estimate(choice));
    }
    return all;
  }

  // Says whether parameters sharded in each slice fit without stages: then gradients alone cross the network, as MaxText
  // has it.
  bool a_slice_holds(const std::vector<std::pair<SplitChoice, LayoutEstimate>>& all, Bytes room) const {
    std::vector<std::pair<Bytes, SplitChoice>> inside;
    for (const auto& [choice, estimate] : all)
      if (choice.sharding == StateSharding::parameters && choice.pipeline == 1 && !choice.across_slices)
        inside.emplace_back(estimate.memory, choice);
    std::stable_sort(inside.begin(), inside.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (inside.size() > kMostSmall) inside.resize(kMostSmall);
    return std::any_of(inside.begin(), inside.end(), [&](const auto& each) {
      const std::optional<Bytes> memory = exact_memory(each.second);
      return memory && *memory <= room;
    });
  }

  // Of layouts that differ in chunks alone and take nearly as long, the one with the fewest is left: more chunks send
  // more messages between stages, which estimates leave out.
  static void drop_finer_chunks(std::vector<std::pair<SplitChoice, LayoutEstimate>>& all) {
    std::vector<std::pair<SplitChoice, LayoutEstimate>> left;
    for (const auto& each : all) {
      const auto finer = [&](const auto& other) {
        SplitChoice same = other.first;
        same.interleave = each.first.interleave;
        return same == each.first && other.first.interleave > each.first.interleave &&
               each.second.time() < kAsQuick * other.second.time();
      };
      std::erase_if(left, finer);
      const auto coarser = [&](const auto& other) {
        SplitChoice same = other.first;
        same.interleave = each.first.interleave;
        return same == each.first && other.first.interleave < each.first.interleave &&
               other.second.time() < kAsQuick * each.second.time();
      };
      if (std::none_of(left.begin(), left.end(), coarser)) left.push_back(each);
    }
    all = std::move(left);
  }

  std::vector<SplitChoice> choices() const {
    std::vector<SplitChoice> all;
    const Cluster& cluster = *plan_.cluster;
    const int node = std::min(kMostSearchedTensor, cluster.grid ? kMostSearchedTensor : cluster.accelerators_per_node);
    for (const int tensor : doublings(node))
      for (const int context : doublings(std::max(1, tokens_of(plan_.model) / kLeastTokensOfRank)))
        for (const int expert : divisors(experts_of(plan_.model)))
          for (const int pipeline : stage_counts())
            for (const int interleave : interleaves(pipeline))
              add_measures({tensor, context, expert, pipeline, interleave}, all);
    return all;
  }

  // Stages divide the ranks, too, so that most counts drop out at once.
  std::vector<int> stage_counts() const {
    std::vector<int> all = cuts(repetitions_, 1);
    std::erase_if(all, [&](int stages) { return plan_.cluster->ranks() % stages != 0; });
    return all;
  }

  std::vector<int> interleaves(int pipeline) const {
    if (pipeline == 1) return {1};
    if (!is_open("pipeline_chunks") || !is_open("pipeline_schedule"))
      return {request_.options.parallelism.pipeline_chunks};
    return cuts(repetitions_, pipeline);
  }

  void add_measures(SplitChoice choice, std::vector<SplitChoice>& all) const {
    for (const auto& [sharding, across_slices] : shardings(choice))
      for (const auto& [recompute, blocks] : recomputes(choice))
        for (const int micro_batch : {1, 2, 4, 8}) {
          choice.sharding = sharding;
          choice.across_slices = across_slices;
          choice.recompute = recompute;
          choice.recompute_blocks = blocks;
          choice.micro_batch = micro_batch;
          all.push_back(choice);
        }
  }

  // Lists what is sharded, and whether over the ranks of all slices.
  std::vector<std::pair<StateSharding, bool>> shardings(const SplitChoice& choice) const {
    using enum StateSharding;
    std::vector<std::pair<StateSharding, bool>> all;
    if (!is_open("sharding"))
      all = {{*request_.options.memory.sharding, false}};
    else if (choice.pipeline > 1)
      all = {{optimizer, false}};
    else
      all = {{optimizer, false}, {parameters, false}};
    const bool may_cross = choice.pipeline == 1 && plan_.cluster->slices > 1 && is_open("sharding_ranks");
    if (may_cross && all.back().first == parameters) all.emplace_back(parameters, true);
    return all;
  }

  // Lists what runs again, and of how many blocks of a chunk: none, one, a quarter, half or all of them.
  std::vector<std::pair<Recompute, int>> recomputes(const SplitChoice& choice) const {
    const MemoryOptions& memory = request_.options.memory;
    if (!is_open("recompute")) return {{memory.recompute, memory.recompute_blocks}};
    std::vector<std::pair<Recompute, int>> all{{Recompute::off, 0}};
    const int blocks = std::max(1, repetitions_) / (choice.pipeline * choice.interleave);
    for (const int some : std::set<int>{1, blocks / 4, blocks / 2})
      if (some > 0 && some < blocks) all.emplace_back(Recompute::full, some);
    all.emplace_back(Recompute::full, 0);
    return all;
  }

  std::optional<Bytes> exact_memory(const SplitChoice& choice) const {
    const StepPlan step = estimator_.step(choice);
    ParallelismOptions options = with_split_tokens(plan_.options.parallelism, plan_.model, step.parallelism);
    options.pipeline_chunks = choice.interleave;
    const std::optional<ModelPart> part = possible_split({plan_.model, plan_.cluster->accelerator, options}, step);
    if (!part) return std::nullopt;
    return part_memory(*part, step).total();
  }

  Layout layout(const SplitChoice& choice, const LayoutEstimate& estimate) const {
    Layout layout;
    const auto add = [&](const char* word, int count) {
      if (count > 1) layout.parallelism += fmt::format("{}{}={}", layout.parallelism.empty() ? "" : ",", word, count);
    };
    add("tensor", choice.tensor);
    add("context", choice.context);
    add("expert", choice.expert);
    add("pipeline", choice.pipeline);
    add("interleave", choice.interleave);
    layout.parallelism += fmt::format("{}micro_batch={}", layout.parallelism.empty() ? "" : ",", choice.micro_batch);
    const StepPlan step = estimator_.step(choice);
    if (is_open("sharding") && step.sharding == StateSharding::parameters) layout.sharding = step.sharding;
    layout.across_slices = choice.across_slices;
    if (is_open("recompute") && choice.recompute != Recompute::off) {
      layout.recompute = choice.recompute;
      layout.recompute_blocks = choice.recompute_blocks;
    }
    layout.groups = step.parallelism.batch_ranks();
    layout.micro_batches = estimate.micro_batches;
    layout.most_samples = choice.micro_batch * estimate.micro_batches;
    return layout;
  }

  const PredictRequest& request_;
  const Plan& plan_;
  LayoutEstimator estimator_;
  int repetitions_ = 0;  // of the model's blocks
};

}  // namespace

bool is_searched(const Plan& plan) {
  return trains_as_language_model(plan.model) && plan.cluster->ranks() > 1 && !plan.software.servers &&
         !plan.options.exchange.uses_horovod();
}

std::vector<FoundLayout> searched_layouts(const PredictRequest& request, const Plan& plan, double global_batch,
                                          Bytes room, std::size_t most) {
  LayoutChoices choices(request, plan, global_batch);
  std::vector<FoundLayout> found = choices.found(room, most);
  const Bytes memory = plan.cluster->accelerator.memory.value;
  return found.empty() && room < memory ? choices.found(memory, most) : found;
}

}  // namespace mlsim::sim
