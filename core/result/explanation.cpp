#include "core/result/explanation.hpp"

#include "core/result/next_measurement_json.hpp"
#include "core/text/json_writer.hpp"

namespace mlsim {
namespace {

constexpr int kSchemaVersion = 1;

}  // namespace

template <class Io>
void describe(Io& io, PathSegment& segment) {
  Seconds time = segment.time();
  io.field("what", segment.what);
  io.field("nodes", segment.nodes);
  io.field("begin_s", segment.begin);
  io.field("end_s", segment.end);
  io.field("time_s", time);
  io.field("compute_s", segment.compute);
  io.field("communication_s", segment.communication);
  io.field("host_s", segment.host);
  io.field("wait_s", segment.wait);
}

template <class Io>
void describe(Io& io, ResourceShare& share) {
  io.field("resource", share.resource);
  io.field("time_s", share.time);
}

template <class Io>
void describe(Io& io, ResourceElasticity& elasticity) {
  io.field("resource", elasticity.resource);
  io.field("elasticity", elasticity.elasticity);
  io.field("change", elasticity.change);
  io.field("changed_step_time_s", elasticity.changed_step);
  io.field("saved_share", elasticity.saved);
  io.field("throughput_factor", elasticity.throughput);
}

template <class Io>
void describe(Io& io, Explanation& e) {
  int version = kSchemaVersion;
  io.field("schema_version", version);
  io.field("topology", e.topology);
  io.field("workload", e.workload);
  io.field("accelerator", e.accelerator);
  io.field("accelerators", e.accelerators);
  io.field("parallelism", e.parallelism);
  io.field("fidelity", e.fidelity);
  io.field("global_batch", e.global_batch);
  io.field("step_time_s", e.step_time);
  io.field("critical_path", e.path);
  io.field("resources", e.resources);
  io.field("elasticities", e.elasticities);
  io.field("measure_next", e.measure_next);
  io.field("warnings", e.warnings);
}

std::string to_json(const Explanation& explanation) { return written("explanation", explanation).text(); }

}  // namespace mlsim
