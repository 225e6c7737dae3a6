#include "core/profile.hpp"

#include <fmt/format.h>

#include <set>

#include "core/json_reader.hpp"
#include "core/json_writer.hpp"
#include "core/provenance_json.hpp"

namespace mlsim {
namespace {

constexpr int kSchemaVersion = 1;

template <class Io>
void describe_precision(Io& io, Precision& precision) {
  io.word(
      "precision", precision, [](Precision p) { return name(p); }, parse_precision);
}

// What no single number shows. Place and words as JsonReader has them.
void check_samples(const Profile& profile, const std::string& file) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const auto& sample = profile.kernels[i];
    const std::string place = fmt::format("{}: kernels[{}]", file, i);
    if (sample.lower_quartile > sample.median || sample.median > sample.upper_quartile) {
      throw InputError(place, "the median does not lie between the quartiles");
    }
    const std::string key = to_text(sample.key);
    if (!seen.insert(key).second) throw InputError(place, fmt::format("kernel \"{}\" is given twice", key));
  }
}

}  // namespace

template <class Io>
void describe(Io& io, EfficiencyCurve& curve) {
  describe_precision(io, curve.precision);
  io.field("compute", curve.compute, kPositive);
  io.field("memory", curve.memory, kPositive);
  io.field("per_kernel_s", curve.per_kernel, kNotNegative);
  io.field("source", curve.source);
}

template <class Io>
void describe(Io& io, StackTerm& term) {
  io.field("stack", term.stack);
  io.field("family", term.family);
  io.field("step_overhead_s", term.step_overhead, kNotNegative);
  io.field("per_kernel_s", term.per_kernel, kNotNegative);
  io.field("input_per_sample_s", term.input_per_sample, kNotNegative);
  io.field("contention", term.contention, kNotNegative);
  io.field("overlap", term.overlap);
  io.field("fusion", term.fusion);
  io.field("sharded_update", term.sharded_update);
  io.field("wide_gradients", term.wide_gradients);
  io.field("source", term.source);
}

template <class Io>
void describe(Io& io, KernelSample& sample) {
  io.word(
      "kernel", sample.key, [](const KernelKey& key) { return to_text(key); }, parse_kernel_key);
  io.field("median_s", sample.median, kPositive);
  io.field("lower_quartile_s", sample.lower_quartile, kPositive);
  io.field("upper_quartile_s", sample.upper_quartile, kPositive);
  io.field("count", sample.count, Bounds{1});
  io.field("source", sample.source);
}

template <class Io>
void describe(Io& io, Anchor& anchor) {
  io.field("id", anchor.id);
  io.field("topology", anchor.topology);
  io.field("accelerators", anchor.accelerators, Bounds{1});
  io.field("workload", anchor.workload);
  describe_precision(io, anchor.precision);
  io.field("global_batch", anchor.global_batch, kPositive);
  io.field("settings", anchor.settings);
  io.field("throughput_samples_per_s", anchor.throughput, kPositive);
  io.field("source", anchor.source);
}

template <class Io>
void describe(Io& io, Profile& profile) {
  int version = kSchemaVersion;
  io.field("schema_version", version, Bounds{kSchemaVersion, kSchemaVersion});
  io.field("accelerator", profile.accelerator);
  io.field("machine", profile.machine);
  io.field("efficiency", profile.efficiency);
  io.field("stacks", profile.stacks);
  io.field("kernels", profile.kernels);
  io.field("anchors", profile.anchors);
}

std::string to_json(const Profile& profile) {
  Profile copy = profile;  // `describe` serves both ways, so it takes no const
  JsonWriter writer("profile");
  describe(writer, copy);
  return writer.text();
}

Profile profile_from_json(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  Profile profile;
  JsonReader reader(json, file);
  describe(reader, profile);
  reader.finish();
  check_samples(profile, file);
  return profile;
}

}  // namespace mlsim
