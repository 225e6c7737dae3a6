#include "core/result/explanation.hpp"

#include "core/result/next_measurement_json.hpp"
#include "core/text/json_schema_writer.hpp"

namespace mlsim {
namespace {

constexpr int kSchemaVersion = 1;

}  // namespace

template <class Io>
void describe(Io& io, const PathSegment& segment) {
  io.field("what", segment.what);
  io.field("nodes", segment.nodes, kNotNegative);
  io.field("begin_s", segment.begin, kNotNegative);
  io.field("end_s", segment.end, kNotNegative);
  io.field("time_s", segment.time(), kNotNegative);
  io.field("compute_s", segment.compute, kNotNegative);
  io.field("communication_s", segment.communication, kNotNegative);
  io.field("host_s", segment.host, kNotNegative);
  io.field("wait_s", segment.wait, kNotNegative);
}

template <class Io>
void describe(Io& io, const ResourceShare& share) {
  io.field("resource", share.resource);
  io.field("time_s", share.time);
}

template <class Io>
void describe(Io& io, const ResourceElasticity& elasticity) {
  io.field("resource", elasticity.resource);
  io.field("elasticity", elasticity.elasticity);
  io.field("change", elasticity.change, OneOf{{"doubled", "halved"}});
  io.field("changed_step_time_s", elasticity.changed_step, kNotNegative);
  io.field("saved_share", elasticity.saved, NumberRange{.highest = 1});
  io.field("throughput_factor", elasticity.throughput, kNotNegative);
}

template <class Io>
void describe(Io& io, const JobChange& change) {
  io.field("change", change.change);
  io.field("time_s", change.time);
  io.field("cost_usd", change.cost);
}

template <class Io>
void describe(Io& io, const GoodputChange& change) {
  io.field("change", change.change);
  io.field("share", change.share, kShare);
}

template <class Io>
void describe(Io& io, Explanation& e) {
  io.field("schema_version", kSchemaVersion, NumberRange{kSchemaVersion, kSchemaVersion});
  io.field("topology", e.topology);
  io.field("workload", e.workload);
  io.field("accelerator", e.accelerator);
  io.field("accelerators", e.accelerators, NumberRange{1});
  io.field("parallelism", e.parallelism);
  io.field("fidelity", e.fidelity);
  io.field("global_batch", e.global_batch, kPositive);
  io.field("chosen", e.chosen);
  io.field("step_time_s", e.step_time, kNotNegative);
  io.field("critical_path", e.path);
  io.field("resources", e.resources);
  io.field("elasticities", e.elasticities);
  io.field("job", e.job);
  io.field("goodput", e.goodput);
  io.field("measure_next", e.measure_next);
  io.field("warnings", e.warnings);
}

template std::string json_schema<Explanation>();

std::string to_json(const Explanation& explanation) { return JsonWriter::text("explanation", explanation); }

}  // namespace mlsim
