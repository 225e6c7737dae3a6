#include "sim/evidence/nearest_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace mlsim::sim {
namespace {

using D = Difference;
using NearestRun =
    NearerBy<&D::chip, &D::precision, &D::stack, &D::source, &D::tokens_apart, &D::version, &D::named_settings,
             &D::machine, &D::larger, &D::accelerators, &D::fewer_samples, &D::any_setting>;
using LargestRun = NearerBy<&D::fewer_accelerators, &D::batch_apart>;

// Finds the first of the nearest of the runs that count; empty where none does.
template <class Nearer, class Counts>
std::optional<NearRun> nearest(const RunTraits& asked, const Evidence& evidence, Nearer nearer, Counts counts) {
  std::optional<Evidence::Run> best;
  Difference least;
  for (const Evidence::Run& each : evidence.of_network(asked.network)) {
    const Difference apart = difference(asked, each.traits);
    if (!counts(each.traits, apart) || (best && !nearer(apart, least))) continue;
    if (each.run.bound_elsewhere() && (apart.chip > 0 || apart.machine)) continue;
    best.emplace(each);
    least = apart;
  }
  if (!best) return std::nullopt;
  return NearRun{best->run, best->place, least};
}

// A language model's kernels are costed by themselves: a run of another class of software or in another format, or one
// whose samples are several times as long, tells less of them than that does (docs/models.md, "language models").
bool misleads(const Difference& apart) {
  constexpr double kMostTokensApart = 1;  // doublings
  return apart.code_base || apart.precision || apart.tokens_apart > kMostTokensApart;
}

// Cuts "DLPerf V100: github.com/..." to "DLPerf V100": the name of a table stands in front of a row's citation.
std::string table_of(const std::string& source) { return source.substr(0, source.find(':')); }

// Says whether two runs differ in nothing but their size and how a rank's batch is split.
bool same_but_size(const RunTraits& a, const RunTraits& b) {
  const Difference apart = difference(a, b);
  return !apart.workload && !apart.format && !apart.machine && !apart.accelerator && !apart.beside_size &&
         table_of(a.source) == table_of(b.source);
}

// Errors stay small within these distances.
constexpr double kFewDoublings = 3;
constexpr double kSameBatch = 0.1;  // doublings of the micro-batch

bool batch_changed(const Difference& apart) { return apart.batch_apart > kSameBatch; }

Statement reason(const Difference& apart, const std::string& stack) {
  if (apart.precision) return "only another precision is on record";
  if (apart.chip > 1) return "only the chip with another memory or clock is on record";
  if (apart.code_base) return {"only another code base is on record: ", stack};
  std::vector<Statement> parts;
  if (apart.doublings != 0)
    parts.push_back(
        {named("doublings", std::abs(apart.doublings)), std::abs(apart.doublings) == 1 ? " doubling" : " doublings"});
  if (batch_changed(apart)) parts.push_back({"batch x", named("batch_ratio", apart.batch_ratio)});
  if (apart.release) parts.emplace_back("another release");
  if (apart.version) parts.emplace_back("another version of the network");
  if (apart.split) parts.emplace_back("a split model");
  if (apart.settings) parts.emplace_back("other settings");
  if (parts.empty()) return "this step is on record";
  return {"off a measured step by ", joined(parts, ", ")};
}

TrustLevel level(const Difference& apart) {
  if (apart.precision || apart.code_base || apart.chip > 1) return TrustLevel::weak;
  if (apart.release || apart.version || apart.split || batch_changed(apart)) return TrustLevel::fair;
  if (std::abs(apart.doublings) > kFewDoublings) return TrustLevel::fair;
  return apart.doublings == 0 && !apart.settings ? TrustLevel::measured : TrustLevel::good;
}

}  // namespace

std::optional<NearRun> nearest_run(const RunTraits& asked, const Evidence& evidence) {
  return nearest(asked, evidence, NearestRun(), [&](const RunTraits&, const Difference& apart) {
    return is_language_model(asked.sort) ? apart.chip < 2 && !misleads(apart) : apart.chip < 3;
  });
}

std::optional<NearRun> second_run(const RunTraits& asked, const NearRun& first, const Evidence& evidence) {
  if (first.run.accelerators != 1 || is_language_model(asked.sort)) return std::nullopt;
  const RunTraits& one = evidence.at(first.place).traits;
  return nearest(asked, evidence, LargestRun(), [&](const RunTraits& run, const Difference& apart) {
    return run.accelerators >= 2 && !apart.larger && same_but_size(run, one);
  });
}

Statement distance(const NearRun& near) {
  const Difference& apart = near.apart;
  Statement said("anchored on ", named("anchor", near.run.id), ": ");
  if (apart.doublings == 0) {
    said.add("same size");
  } else {
    said.add(NamedQuantity{"doublings", "1", apart.doublings, fmt::format("{:+.1f}", apart.doublings)},
             " doublings of accelerators");
  }
  if (apart.batch_ratio == 1)
    said.add(", same batch per accelerator");
  else
    said.add(", batch per accelerator x", named("batch_ratio", apart.batch_ratio));
  if (apart.chip > 1) said.add(", the chip with another memory or clock");
  if (apart.tables) {
    said.add(", another code base");
  } else if (apart.release) {
    said.add(", another software stack");
  }
  if (apart.version) said.add(", another version of the network");
  if (apart.precision) said.add(", another precision");
  return said;
}

TrustWord trust(const NearRun& near) {
  return {level(near.apart), reason(near.apart, near.run.options.software.stack)};
}

}  // namespace mlsim::sim
