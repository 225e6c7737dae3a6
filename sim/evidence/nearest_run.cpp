#include "sim/evidence/nearest_run.hpp"

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

}  // namespace mlsim::sim
