#include "validation/cases/asking.hpp"

#include <tuple>

#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::validation {

namespace {

// The first round whose targets and rules are those of today for most networks.
constexpr double kFirstBareRound = 1.0;

bool is_wide(const Case& c) { return c.precision == Precision::fp32 || c.precision == Precision::tf32; }

// Steps of language models are asked as stated, with their own table hidden, and bare: a thousand of them cost as much
// as all other rows, and each question more is half an hour of the night.
bool asks_language_rows(const Asking& asking) {
  return asking.telling == Telling::bare || (asking.telling == Telling::as_stated && asking.hidden == Hidden::table);
}

bool quicker(const Case& a, const Case& b) {
  return a.metric == Metric::throughput ? a.value > b.value : a.value < b.value;
}

bool told_of(Telling telling, const Case& c) {
  if (telling == Telling::as_stated || telling == Telling::as_asked) return true;
  const bool time = c.metric == Metric::time_to_accuracy;
  if (telling == Telling::in_earnest) return (time || c.metric == Metric::throughput) && !is_wide(c);
  if (c.of_language_models()) return c.metric == Metric::throughput && !is_wide(c);
  const auto round = mlperf_round(c.options.software.stack);
  return time && round && *round >= kFirstBareRound;
}

}  // namespace

bool asked_of(const Asking& asking, const Case& c, NodeCounts& nodes) {
  if (asking == Asking{}) return true;
  if (c.options.job.throughput || c.payload || ratio_of(c.metric)) return false;
  if (c.of_language_models() && !asks_language_rows(asking)) return false;
  if (!told_of(asking.telling, c)) return false;
  if (asking.hidden == Hidden::era && !mlperf_round(c.options.software.stack)) return false;
  return asking.anchors == AnchorSizes::all || nodes.of(c.topology, c.accelerators) > 1;
}

Case as_rate(Case step) {
  if (!step.of_language_models() || step.metric != Metric::step_time || !step.global_batch) return step;
  step.metric = Metric::throughput;
  step.value = *step.global_batch / step.value;
  return step;
}

std::vector<const Case*> quickest_of_each(const std::vector<const Case*>& cases) {
  using Key = std::tuple<std::string, int, std::string, Metric>;
  const auto key = [](const Case* c) { return Key{c->topology, c->accelerators, c->workload, c->metric}; };
  std::map<Key, const Case*> quickest;
  for (const Case* c : cases) {
    const Case*& best = quickest[key(c)];
    if (best == nullptr || quicker(*c, *best)) best = c;
  }
  std::vector<const Case*> kept;
  for (const Case* c : cases)
    if (quickest.at(key(c)) == c) kept.push_back(c);
  return kept;
}

sim::PredictRequest told(sim::PredictRequest request, Telling telling) {
  if (telling == Telling::as_stated) return request;
  if (telling == Telling::bare) request.global_batch.reset();
  if (telling != Telling::as_asked) {
    sim::Options plain;
    plain.job.epochs = request.options.job.epochs;
    plain.job.samples = request.options.job.samples;
    plain.price = request.options.price;
    request.options = plain;
    request.precision.reset();
    request.parallelism.clear();
  }
  request.options.software.stack.clear();
  request.options.software.optimizer.reset();
  request.options.job.recipe.clear();
  request.options.input.data.reset();
  request.anchor_source.clear();
  return request;
}

int NodeCounts::of(const std::string& topology, int accelerators) {
  const auto [entry, fresh] = known_.try_emplace({topology, accelerators}, 1);
  if (!fresh) return entry->second;
  try {
    const topologies::Cluster cluster = topologies::build_cluster(topology, accelerators);
    entry->second = cluster.grid ? 1 : cluster.nodes;
  } catch (const InputError&) {
  } catch (const Infeasible&) {
  }
  return entry->second;
}

}  // namespace mlsim::validation
