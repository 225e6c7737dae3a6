#include "sim/kernel_transfer.hpp"

#include <cmath>

#include "sim/matrix_peak.hpp"

namespace mlsim {

double transfer_factor(const KernelWork& work, Precision precision, const AcceleratorSpec& from,
                       const AcceleratorSpec& to) {
  const FlopPerSecond compute_from = matrix_peak(from, precision), compute_to = matrix_peak(to, precision);
  const BytesPerSecond memory_from = from.memory_bandwidth.value, memory_to = to.memory_bandwidth.value;
  const double ridge = compute_to.value / memory_to.value;
  const double intensity = work.bytes.value > 0 ? work.flop.value / work.bytes.value : ridge;
  const double gamma = intensity < ridge ? 1 - intensity / (2 * ridge) : ridge / (2 * intensity);
  return std::pow(memory_from / memory_to, gamma) * std::pow(compute_from / compute_to, 1 - gamma);
}

Seconds transferred_time(Seconds time, const KernelWork& work, Precision precision, const AcceleratorSpec& from,
                         const AcceleratorSpec& to) {
  const Seconds launches = min(time, from.kernel_launch.value * work.launches);
  return (time - launches) * transfer_factor(work, precision, from, to) + to.kernel_launch.value * work.launches;
}

}  // namespace mlsim
