#include "core/profile/profile.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "core/profile/provenance_json.hpp"
#include "core/profile/statistics_json.hpp"
#include "core/text/json_reader.hpp"
#include "core/text/json_writer.hpp"

namespace mlsim {
namespace {

constexpr int kProfileSchema = 2;

// Checks across fields. Errors use the places and wording of JsonReader.
void check_statistics(const SampleStatistics& time, const std::string& place) {
  if (time.lower_quartile > time.median || time.median > time.upper_quartile) {
    throw InputError(place, "the median does not lie between the quartiles");
  }
  if (time.outliers > time.count) throw InputError(place, "more outliers than samples");
}

void check_kernels(const Profile& profile, const std::string& file) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const auto& sample = profile.kernels[i];
    const std::string place = fmt::format("{}: kernels[{}]", file, i);
    check_statistics(sample.time, place);
    const std::string key = to_text(sample.key);
    const std::string whole = fmt::format("{} {} {}", key, sample.threads, name(sample.cache));
    if (!seen.insert(whole).second) throw InputError(place, fmt::format("kernel \"{}\" is given twice", key));
  }
  for (std::size_t i = 0; i < profile.probes.size(); ++i) {
    check_statistics(profile.probes[i].time, fmt::format("{}: probes[{}]", file, i));
  }
}

template <class Item>
void check_rising(const std::vector<Item>& items, Bytes Item::*payload, const std::string& place) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].*payload <= items[i - 1].*payload)
      throw InputError(fmt::format("{}[{}]", place, i), "payloads do not rise from entry to entry");
  }
}

void check_curve(const CollectiveCurve& curve, const std::string& place) {
  if (curve.knots.empty()) throw InputError(place + ".knots", "must have at least one entry");
  check_rising(curve.points, &CollectivePoint::payload, place + ".points");
  check_rising(curve.knots, &CurveKnot::payload, place + ".knots");
  check_rising(curve.segments, &AlphaBetaSegment::from, place + ".segments");
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const std::string point = fmt::format("{}.points[{}]", place, i);
    check_statistics(curve.points[i].time, point);
    for (const Seconds launch : curve.points[i].launches)
      if (launch.value <= 0) throw InputError(point + ".launches_s", "must be above 0");
  }
  for (std::size_t i = 0; i < curve.replicas.size(); ++i) {
    const std::string replica = fmt::format("{}.replicas[{}]", place, i);
    if (curve.replicas[i].empty()) throw InputError(replica, "must have at least one entry");
    check_rising(curve.replicas[i], &AlphaBetaSegment::from, replica);
  }
  for (std::size_t i = 1; i < curve.knots.size(); ++i) {
    if (curve.knots[i].time < curve.knots[i - 1].time)
      throw InputError(fmt::format("{}.knots[{}]", place, i), "a larger payload takes less time");
  }
}

void check_laws(const Profile& profile, const std::string& file) {
  for (std::size_t i = 0; i < profile.laws.size(); ++i) {
    if (profile.laws[i].ops.empty())
      throw InputError(fmt::format("{}: laws[{}].kernels", file, i), "must name at least one operator");
  }
  for (std::size_t i = 0; i < profile.rank_scalings.size(); ++i) {
    const std::string place = fmt::format("{}: rank_scalings[{}].segments", file, i);
    if (profile.rank_scalings[i].segments.empty()) throw InputError(place, "must have at least one entry");
    check_rising(profile.rank_scalings[i].segments, &AlphaBetaSegment::from, place);
  }
}

void check_profile(const Profile& profile, const std::string& file) {
  check_kernels(profile, file);
  check_laws(profile, file);
  for (std::size_t i = 0; i < profile.collectives.size(); ++i)
    check_curve(profile.collectives[i], fmt::format("{}: collectives[{}]", file, i));
}

std::string ops_text(const std::vector<KernelOp>& ops) {
  std::string text;
  for (const auto op : ops) text += fmt::format("{}{}", text.empty() ? "" : " ", name(op));
  return text;
}

std::vector<KernelOp> parse_ops(const std::string& text) {
  std::vector<KernelOp> ops;
  std::istringstream in(text);
  for (std::string word; in >> word;) ops.push_back(parse<KernelOp>(word));
  return ops;
}

}  // namespace

template <class Io>
void describe(Io& io, EfficiencyCurve& curve) {
  io.word("precision", curve.precision);
  io.field("compute", curve.compute, kPositive);
  io.field("memory", curve.memory, kPositive);
  io.field_if_any("full_batch", curve.full_batch, kPositive);
  io.field("per_kernel_s", curve.per_kernel, kNotNegative);
  io.field_if_any("fitted_on", curve.fitted_on);
  io.field("source", curve.source);
}

template <class Io>
void describe(Io& io, StackTerm& term) {
  io.field("stack", term.stack);
  io.field("family", term.family);
  io.field("step_overhead_s", term.step_overhead, kNotNegative);
  io.field("dispatch_s", term.dispatch, kNotNegative);
  io.field("per_kernel_s", term.per_kernel, kNotNegative);
  io.field_if_any("host_per_kernel_s", term.host_per_kernel, kNotNegative);
  io.field_if_any("products", term.products, kPositive);
  io.field_if_any("attention", term.attention, kPositive);
  io.field_if_any("passes", term.passes, kPositive);
  io.field_if_any("per_exchange_s", term.per_exchange, kNotNegative);
  io.field("input_per_sample_s", term.input_per_sample, kNotNegative);
  io.field("contention", term.contention, kNotNegative);
  io.field_if_any("normalization_contention", term.normalization_contention, kNotNegative);
  io.field("overlap", term.overlap);
  io.field("fusion", term.fusion);
  io.field_if_any("multi_tensor", term.multi_tensor);
  io.field("sharded_update", term.sharded_update);
  io.field("wide_gradients", term.wide_gradients);
  io.field_if_any("fitted_on", term.fitted_on);
  io.field("source", term.source);
}

template <class Io>
void describe(Io& io, KernelSample& sample) {
  io.word(
      "kernel", sample.key, [](const KernelKey& key) { return to_text(key); }, parse_kernel_key);
  io.field("threads", sample.threads, NumberRange{0});
  io.word("cache", sample.cache);
  describe_statistics(io, sample.time);
  io.field_if_any("implementation", sample.implementation);
  io.field("source", sample.source);
}

template <class Io>
void describe(Io& io, ProbeSample& probe) {
  io.word(
      "name", probe.name, [](const ProbeName& name) { return to_text(name); }, parse_probe_name);
  io.field("threads", probe.threads, NumberRange{0});
  describe_statistics(io, probe.time);
  io.field("bytes", probe.bytes, kNotNegative);
  io.field("flop", probe.flop, kNotNegative);
  io.field_if_any("implementation", probe.implementation);
  io.field("source", probe.source);
}

template <class Io>
void describe(Io& io, KernelLaw::Constants& constants) {
  io.field("compute_flop_per_s", constants.compute, kPositive);
  io.field("memory_bytes_per_s", constants.memory, kPositive);
  io.field("per_kernel_s", constants.per_kernel, kNotNegative);
}

template <class Io>
void describe(Io& io, KernelLaw& law) {
  io.word("kernels", law.ops, ops_text, parse_ops);
  io.word("precision", law.precision);
  io.field("threads", law.threads, NumberRange{0});
  io.field("constants", law.constants);
  io.field("exponent", law.exponent, NumberRange{1, 64});
  io.field("tile_m", law.tile_m, NumberRange{1});
  io.field("tile_n", law.tile_n, NumberRange{1});
  io.field("units", law.units, NumberRange{1});
  io.field("residual", law.residual);
  io.field("held_back", law.held_back);
  io.field("replicas", law.replicas);
  io.field("source", law.source);
}

template <class Io>
void describe(Io& io, Anchor& anchor) {
  io.field("id", anchor.id);
  io.field("topology", anchor.topology);
  io.field("accelerators", anchor.accelerators, NumberRange{1});
  io.field("workload", anchor.workload);
  io.word("precision", anchor.precision);
  io.field("global_batch", anchor.global_batch, kPositive);
  io.field("settings", anchor.settings);
  io.field("throughput_samples_per_s", anchor.throughput, kPositive);
  io.field("source", anchor.source);
}

template <class Io>
void describe(Io& io, AlphaBetaSegment& segment) {
  io.field("from_bytes", segment.from, kNotNegative);
  io.field("alpha_s", segment.alpha, kNotNegative);
  io.field("beta_s_per_byte", segment.beta, kNotNegative);
}

template <class Io>
void describe(Io& io, CurveKnot& knot) {
  io.field("payload_bytes", knot.payload, kPositive);
  io.field("time_s", knot.time, kPositive);
  io.field("slope", knot.slope, kNotNegative);
}

template <class Io>
void describe(Io& io, CollectivePoint& point) {
  io.field("payload_bytes", point.payload, kPositive);
  describe_statistics(io, point.time);
  io.field("launches_s", point.launches);
}

template <class Io>
void describe(Io& io, CollectiveCurve& curve) {
  io.word("kind", curve.kind);
  io.field("library", curve.communicator);
  io.field("device", curve.device);
  io.word("precision", curve.precision);
  io.field("machine", curve.machine);
  io.field("nodes", curve.nodes, NumberRange{1});
  io.field("ranks_per_node", curve.ranks_per_node, NumberRange{1});
  io.field("points", curve.points);
  io.field("knots", curve.knots);
  io.field("tail_s_per_byte", curve.tail, kNotNegative);
  io.field("segments", curve.segments);
  io.field("residual", curve.residual);
  io.field("held_back", curve.held_back);
  io.field("replicas", curve.replicas);
  io.field("source", curve.source);
}

template <class Io>
void describe(Io& io, RankScaling& scaling) {
  io.word("kind", scaling.kind);
  io.field("library", scaling.communicator);
  io.field("device", scaling.device);
  io.word("precision", scaling.precision);
  io.field("machine", scaling.machine);
  io.field("ranks_per_node", scaling.ranks_per_node, NumberRange{1});
  io.field("nodes", scaling.nodes);
  io.word("latency", scaling.latency);
  io.field_if_any("tree_below_bytes", scaling.tree_below, kPositive);
  io.field("fixed_s", scaling.fixed, kNotNegative);
  io.field("segments", scaling.segments);
  io.field("residual", scaling.residual);
  io.field("held_back", scaling.held_back);
  io.field("source", scaling.source);
}

template <class Io>
void describe(Io& io, Profile& profile) {
  int version = kProfileSchema;
  io.field("schema_version", version, NumberRange{kProfileSchema, kProfileSchema});
  io.field("accelerator", profile.accelerator);
  io.field("machine", profile.machine);
  io.field("environment", profile.environment);
  io.field("efficiency", profile.efficiency);
  io.field("stacks", profile.stacks);
  io.field("kernels", profile.kernels);
  io.field("laws", profile.laws);
  io.field("probes", profile.probes);
  io.field("collectives", profile.collectives);
  io.field("rank_scalings", profile.rank_scalings);
  io.field("anchors", profile.anchors);
}

template void describe(JsonWriter&, Profile&);

std::string to_json(const Profile& profile) { return JsonWriter::text("profile", profile); }

// Before anything else: another version has other keys, and a complaint about those would mislead.
void check_version(const Json& json, const std::string& file) {
  if (!json.is_object() || !json.contains("schema_version") || !json["schema_version"].is_number_integer()) return;
  const auto version = json["schema_version"].get<std::int64_t>();
  if (version == kProfileSchema) return;
  throw InputError(file, fmt::format("is a profile of version {}; this mlsim reads {}: run mlsim calibrate again",
                                     version, kProfileSchema));
}

ProfileRefs refs_to(const std::vector<Profile>& first, const std::vector<Profile>& second) {
  ProfileRefs refs(first.begin(), first.end());
  refs.insert(refs.end(), second.begin(), second.end());
  return refs;
}

Profile profile_of(const Json& json, const std::string& file) {
  check_version(json, file);
  Profile profile = described<Profile>(json, file);
  check_profile(profile, file);
  return profile;
}

Profile profile_from_json(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  refuse_control(json, file);
  return profile_of(json, file);
}

Profile profile_from_tree(std::string_view tree, const std::string& file) {
  return profile_of(Json::from_cbor(tree), file);
}

}  // namespace mlsim
