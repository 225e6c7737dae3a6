#include "sim/expert/usual_precision.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::sim {
namespace {

double rate(const AcceleratorSpec& accelerator, Precision precision) {
  const auto found = accelerator.peak.find(precision);
  return found == accelerator.peak.end() ? 0 : found->second.value.value;
}

}  // namespace

// Matrix units multiply fp16 at four times the rate of fp32 and more (Volta, Turing), or have formats of their own
// (tf32, bf16: from Ampere and CDNA on). Where vector units multiply fp16 in pairs, at twice the rate, mixed precision
// did not pay (P100: all published steps are in fp32).
bool has_matrix_units(const AcceleratorSpec& accelerator) {
  return rate(accelerator, Precision::fp16) >= 4 * rate(accelerator, Precision::fp32) ||
         rate(accelerator, Precision::tf32) > 0 || rate(accelerator, Precision::bf16) > 0;
}

namespace {

// Returns the fastest of the formats; of two equally fast ones the first, in the order of the formats.
std::optional<Precision> fastest(const std::set<Precision>& formats, const AcceleratorSpec& accelerator) {
  std::optional<Precision> best;
  for (const Precision format : formats)
    if (rate(accelerator, format) > (best ? rate(accelerator, *best) : 0)) best = format;
  return best;
}

Precision without_a_run(const AcceleratorSpec& accelerator) {
  if (!has_matrix_units(accelerator)) return Precision::fp32;
  const double half = rate(accelerator, Precision::fp16), brain = rate(accelerator, Precision::bf16);
  return half >= brain ? Precision::fp16 : Precision::bf16;
}

std::optional<Precision> published_format(const PublishedTraining& training, const AcceleratorSpec& accelerator) {
  const auto found = training.formats.find(accelerator.chip);
  if (found == training.formats.end() || rate(accelerator, found->second) <= 0) return std::nullopt;
  const bool other = std::find(training.but.begin(), training.but.end(), accelerator.name) != training.but.end();
  return other ? std::nullopt : std::optional(found->second);
}

}  // namespace

UsualPrecision usual_precision(const Evidence& evidence, const Model& model, const AcceleratorSpec& accelerator,
                               bool to_an_end) {
  if (to_an_end && trains_as_language_model(model) && rate(accelerator, Precision::bf16) > 0)
    return {Precision::bf16, "as trainings to an end are, but for a few"};
  const std::optional<Precision> published = published_format(model.training, accelerator);
  const UsualPrecision as_published{published.value_or(Precision::bf16), "as most published runs of it on such chips"};
  if (accelerator.family == AcceleratorFamily::tpu)
    return published ? as_published : UsualPrecision{Precision::bf16, "as TPUs train"};
  const ChipTraits chip = chip_traits(accelerator.name);
  std::set<Precision> here, of_kind, of_family;
  // Runs in fp32, on vector units, tell nothing of matrix units, nor do narrow formats of vector units.
  const bool matrix_units = has_matrix_units(accelerator);
  for (const Evidence::Run& each : evidence.of_network(std::string(network_name(model.name)))) {
    const std::optional<Precision> format = each.traits.precision;
    const ChipTraits& other = each.traits.chip;
    if (!format || other.tpu || other.name.empty() || (matrix_units && *format == Precision::fp32)) continue;
    if (other.name == chip.name || other.same_speed(chip)) here.insert(*format);
    if (!chip.kind.empty() && other.kind == chip.kind) of_kind.insert(*format);
    if (matrix_units || *format == Precision::fp32) of_family.insert(*format);
  }
  const auto known = fastest(here, accelerator);
  const bool slower = known && published && rate(accelerator, *known) < rate(accelerator, as_published.precision);
  if (known && !slower) return {*known, "fastest on record here"};
  if (published) return as_published;
  if (const auto format = fastest(of_kind, accelerator)) return {*format, "fastest on record on this chip"};
  if (accelerator.family == AcceleratorFamily::gpu)
    if (const auto format = fastest(of_family, accelerator)) return {*format, "fastest on record"};
  if (trains_as_language_model(model) && rate(accelerator, Precision::bf16) > 0)
    return {Precision::bf16, "as language models train"};
  return {without_a_run(accelerator), "usual on such a chip"};
}

}  // namespace mlsim::sim
