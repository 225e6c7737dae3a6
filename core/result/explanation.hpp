// An Explanation says why a step takes as long as it does, as a value that writes JSON: the critical path, what each
// resource contributed to it, and what more of a resource would change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/next_measurement.hpp"
#include "core/units.hpp"

namespace mlsim {

/// A segment is a run of the critical path in one part of the step: each piece of work in it ended last of all that the
/// next one waited for.
struct PathSegment {
  std::string what;  // "backward stage3", "all-reduce of gradients 3"
  int nodes = 0;     // kernels, collectives and host work in it
  Seconds begin, end;
  Seconds compute, communication, host, wait;  // sum to its length
  Seconds time() const { return end - begin; }
};

/// A share is what one resource contributed to the critical path. Shares sum to the step.
struct ResourceShare {
  std::string resource;  // "matrix units", "NIC bandwidth", "NIC latency", "waiting for slow ranks"
  Seconds time;
};

/// An elasticity says what the step does when there is more of a resource.
struct ResourceElasticity {
  std::string resource;            // "ICI bandwidth"
  double elasticity = 0;           // d ln(step time) / d ln(resource), from a change of 1 %
  std::string change = "doubled";  // what follows is for: latency is "halved"
  Seconds changed_step;
  double saved = 0;       // share of the step that the change saves; below 0 where the step grows, as with the batch
  double throughput = 1;  // samples a second with the change, over those without
};

/// A change of what is bought, and what it does to the whole job.
struct JobChange {
  std::string change;       // "twice the NIC bandwidth", "twice the accelerators"
  Seconds time;             // by which the median to the target grows; below 0: saves
  std::optional<Usd> cost;  // by which its bill grows at the price of today; empty where none is known
};

/// A change of how often a job fails or what that costs it, and the share of a long job's time in which it then gets
/// on.
struct GoodputChange {
  std::string change;  // "one spare node more"
  double share = 1;
};

struct Explanation {
  std::string topology, workload, accelerator, parallelism, fidelity;
  int accelerators = 1;
  double global_batch = 1;
  Statement chosen;  // as of a Prediction
  Seconds step_time;
  std::vector<PathSegment> path;
  std::vector<ResourceShare> resources;          // the largest first
  std::vector<ResourceElasticity> elasticities;  // the most that doubling saves first
  std::vector<JobChange> job;                    // empty where the job has no target, or nobody asked
  std::vector<GoodputChange> goodput;            // as asked, then with changes; empty where a Prediction has none
  std::vector<NextMeasurement> measure_next;     // as of a Prediction
  std::vector<std::string> warnings;
};

/// The keys have SI units; the schema is core/result/explanation.schema.json.
std::string to_json(const Explanation& explanation);

}  // namespace mlsim
