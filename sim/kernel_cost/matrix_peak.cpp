#include "sim/kernel_cost/matrix_peak.hpp"

#include <fmt/format.h>

#include <string>

#include "core/text/errors.hpp"

namespace mlsim::sim {

FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision) {
  const auto found = accelerator.peak.find(precision);
  if (found != accelerator.peak.end() && found->second.value.value > 0) return found->second.value;
  std::string known;
  for (const auto& [format, peak] : accelerator.peak)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(format));
  throw Infeasible(fmt::format("{} does not compute in {}; it has {}", accelerator.title, name(precision), known));
}

}  // namespace mlsim::sim
