#include "sim/kernel_cost/done_work.hpp"

#include <fmt/format.h>

#include <string>

#include "core/text/errors.hpp"

namespace mlsim::sim {
namespace {

// Names the recipe of the accelerator that is next to one that it lacks: fewer bits before more, else 16 bits.
std::string nearest_text(const AcceleratorSpec& accelerator, Precision precision) {
  if (!is_recipe(precision)) return {};
  for (const Precision other : {Precision::mxfp8, Precision::fp8, Precision::int8, Precision::bf16, Precision::fp16})
    if (other != precision && accelerator.peak.contains(other)) return fmt::format("; --precision {}", name(other));
  return {};
}

}  // namespace

FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision) {
  const auto found = accelerator.peak.find(unit_format(precision));
  if (found != accelerator.peak.end() && found->second.value.value > 0) return found->second.value;
  std::string known;
  for (const auto& [format, peak] : accelerator.peak)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(format));
  throw Infeasible(fmt::format("{} does not compute in {}; it has {}{}", accelerator.title, name(precision), known,
                               nearest_text(accelerator, precision)));
}

FlopPerSecond fastest_peak(const AcceleratorSpec& accelerator, Precision precision, FlopPerSecond peak) {
  const auto tf32 = accelerator.peak.find(Precision::tf32);
  return precision == Precision::fp32 && tf32 != accelerator.peak.end() ? max(peak, tf32->second.value) : peak;
}

}  // namespace mlsim::sim
