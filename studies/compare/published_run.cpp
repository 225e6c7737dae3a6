#include "studies/compare/published_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "topologies/build_cluster.hpp"
#include "validation/cases/cases.hpp"
#include "validation/cases/figure.hpp"
#include "validation/scores/validate.hpp"
#include "workloads/model/network_name.hpp"

namespace mlsim::studies {
namespace {

std::string machine_of(const std::string& topology) { return topology.substr(0, topology.find(':')); }

// Whether the row states what a whole run did, and neither lends its rate to the question nor a constant to the model.
bool states_a_run(const Case& c) {
  const bool figure =
      c.metric == Metric::throughput || c.metric == Metric::step_time || c.metric == Metric::time_to_accuracy;
  return figure && c.role != Role::input && !c.payload && c.relative_to.empty() && !c.options.job.throughput;
}

double doublings(double asked, double other) { return asked > 0 && other > 0 ? std::abs(std::log2(asked / other)) : 0; }

double batch_each(const Case& c) { return c.global_batch ? *c.global_batch / c.accelerators : 0; }

// Lower is nearer, compared from the front.
using Nearness = std::array<double, 9>;

class Nearest {
 public:
  Nearest(const PredictRequest& request, const Prediction& answer)
      : named_stack_(request.options.software.stack), answer_(answer) {}

  Nearness nearness(const Case& c) {
    const auto& asked = answer_.inputs;
    const bool timed = c.metric == Metric::time_to_accuracy;
    return {c.workload == asked.workload ? 0.0 : 1.0,
            accelerator(c.topology) == asked.accelerator ? 0.0 : 1.0,
            !c.precision || *c.precision == asked.precision ? 0.0 : 1.0,
            named_stack_.empty() || c.options.software.stack == named_stack_ ? 0.0 : 1.0,
            doublings(asked.accelerators, c.accelerators),
            doublings(asked.batch_per_accelerator, batch_each(c)),
            timed == answer_.time_to_target.has_value() ? 0.0 : 1.0,
            machine_of(c.topology) == machine_of(asked.topology) ? 0.0 : 1.0,
            c.options.software.stack == asked.stack ? 0.0 : 1.0};
  }

  /// In what the run is not the one that was asked for.
  std::vector<std::string> differences(const Case& c) {
    const auto& asked = answer_.inputs;
    std::vector<std::string> found;
    const auto add = [&](bool differs, const char* what) {
      if (differs) found.emplace_back(what);
    };
    add(c.workload != asked.workload, "workload");
    add(accelerator(c.topology) != asked.accelerator, "accelerator");
    add(machine_of(c.topology) != machine_of(asked.topology), "machine");
    add(c.accelerators != asked.accelerators, "accelerators");
    add(c.precision && *c.precision != asked.precision, "precision");
    add(c.global_batch && doublings(asked.batch_per_accelerator, batch_each(c)) > 0, "batch");
    add(c.options.software.stack != asked.stack, "stack");
    add(!c.options.job.recipe.empty() && c.options.job.recipe != asked.recipe, "recipe");
    return found;
  }

 private:
  const std::string& accelerator(const std::string& topology) {
    const auto [found, fresh] = accelerators_.emplace(topology, "");
    if (fresh) found->second = accelerator_of(topology);
    return found->second;
  }

  std::string named_stack_;  // empty: any is as near
  const Prediction& answer_;
  std::map<std::string, std::string> accelerators_;  // of each topology
};

// A run's rate and its time are two rows of one run.
bool same_run(const ParsedAnchor& anchor, const Case& c) {
  return anchor.id == c.id ||
         (anchor.topology == c.topology && anchor.accelerators == c.accelerators && anchor.workload == c.workload &&
          anchor.global_batch == c.global_batch && anchor.precision == c.precision &&
          anchor.options.software.stack == c.options.software.stack);
}

// Its own rows become runs of no workload: nothing leans on them, and what their stack is called stays known.
SharedList<ParsedAnchor> anchors_without(const Case& c) {
  std::vector<ParsedAnchor> anchors = published_anchors();
  for (ParsedAnchor& anchor : anchors)
    if (same_run(anchor, c)) anchor.workload.clear();
  return anchors;
}

std::optional<double> predicted(const Case& c, const PredictRequest& request) {
  ValidationOptions options;
  options.profiles = request.builtin_profiles;
  options.fidelity = std::min(request.fidelity, Fidelity::folded);
  try {
    return figure_of(c.metric, predict(request_of(c, {{}, anchors_without(c), options.profiles}, options))).value;
  } catch (const InputError&) {
    return std::nullopt;  // of a row that this catalogue cannot ask any more
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<PublishedRun> nearest_published_run(const PredictRequest& request, const Prediction& answer) {
  const Activity activity("looking for the nearest published run");
  const std::vector<Case> cases = published_cases_of(std::string(network_name(answer.inputs.workload)));
  Nearest nearest(request, answer);
  const Case* best = nullptr;
  Nearness least{};
  for (const Case& c : cases) {
    if (!states_a_run(c)) continue;
    const Nearness its = nearest.nearness(c);
    if (best != nullptr && !(its < least)) continue;
    best = &c;
    least = its;
  }
  if (best == nullptr) return std::nullopt;
  PublishedRun run;
  run.id = best->id;
  run.topology = best->topology;
  run.workload = best->workload;
  if (best->precision) run.precision = std::string(name(*best->precision));
  run.accelerators = best->accelerators;
  run.global_batch = best->global_batch.value_or(0);
  run.metric = std::string(name(best->metric));
  run.published = best->value;
  run.predicted = predicted(*best, request);
  run.source = best->source + ": " + best->citation;
  run.differs = nearest.differences(*best);
  return run;
}

}  // namespace mlsim::studies
