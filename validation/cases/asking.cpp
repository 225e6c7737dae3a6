#include "validation/cases/asking.hpp"

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "workloads/convergence/recipe_round.hpp"

namespace mlsim::validation {

const Words<Telling>& words(Telling) {
  static const Words<Telling> table{"telling", {"as-stated", "as-asked"}};
  return table;
}

const Words<Hidden>& words(Hidden) {
  static const Words<Hidden> table{"evidence", {"nothing", "own", "table", "network", "chip", "release", "era"}};
  return table;
}

const Words<AnchorSizes>& words(AnchorSizes) {
  static const Words<AnchorSizes> table{"anchors", {"all", "one-box"}};
  return table;
}

bool asked_of(const Asking& asking, const Case& c, NodeCounts& nodes) {
  if (asking == Asking{}) return true;
  if (c.options.job.throughput || c.payload || ratio_of(c.metric)) return false;
  if (asking.hidden == Hidden::era && !mlperf_round(c.options.software.stack)) return false;
  return asking.anchors == AnchorSizes::all || nodes.of(c.topology, c.accelerators) > 1;
}

sim::PredictRequest as_asked(sim::PredictRequest request) {
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
