#include "sim/kernel_cost/kernel_transfer.hpp"

#include <algorithm>
#include <cmath>

#include "core/profile/kernel_law.hpp"
#include "costs/kernel_time.hpp"
#include "sim/kernel_cost/done_work.hpp"

namespace mlsim::sim {
namespace {

// One multiprocessor has so many bytes under way in a kernel without a matrix product: 2048 threads (CUDA C++
// Programming Guide, "Compute Capabilities": 1024 to 2048) with an access of 16 bytes each, the widest there is
// ("Device Memory Accesses").
constexpr double kStreamedBytes = 2048 * 16;

// `Blocks` are those of one launch of a kernel.
struct Blocks {
  double whole = 0;  // tiles of a matrix product
  double most = 0;   // with each cut along K as often as leaves it no shallower than wide
};

Blocks blocks(const KernelWork& work) {
  const double launches = std::max(1, work.launches);
  if (work.gemm.m <= 0) {
    const double streamed = work.bytes.value / kStreamedBytes / launches;
    return {streamed, streamed};
  }
  KernelLaw law;
  law.tile_m = law.tile_n = kMatrixTile;
  const double tile_flop = 2.0 * kMatrixTile * kMatrixTile * work.gemm.k;
  const double tiles = costs::padded_flop(law, work).value / tile_flop / launches;
  return {tiles, tiles * std::max(1.0, std::floor(work.gemm.k / kMatrixTile))};
}

// Gives what the blocks take over what they would if every multiprocessor worked all the time. Products whose tiles
// leave some idle are cut along K (split-K: CUTLASS, media/docs/efficient_gemm.md, "Parallelized Reductions").
double wave_padding(const Blocks& blocks, int multiprocessors) {
  if (blocks.whole >= multiprocessors)
    return std::ceil(blocks.whole / multiprocessors) * multiprocessors / blocks.whole;
  return std::max(1.0, multiprocessors / blocks.most);
}

struct Ratios {
  double memory = 1, compute = 1;
};

Ratios wave_ratios(Ratios machines, const Blocks& blocks, int from, int to) {
  if (blocks.whole <= 0) return machines;
  const bool no_wave = blocks.most < from && blocks.most < to;
  return {no_wave ? 1 : machines.memory, machines.compute * wave_padding(blocks, to) / wave_padding(blocks, from)};
}

}  // namespace

double transfer_factor(const KernelWork& work, Precision precision, const AcceleratorSpec& from,
                       const AcceleratorSpec& to) {
  const FlopPerSecond compute_from = matrix_peak(from, precision), compute_to = matrix_peak(to, precision);
  const BytesPerSecond memory_from = from.memory_bandwidth.value, memory_to = to.memory_bandwidth.value;
  const double ridge = compute_to.value / memory_to.value;
  const double intensity = work.bytes.value > 0 ? work.flop.value / work.bytes.value : ridge;
  const double gamma = intensity < ridge ? 1 - intensity / (2 * ridge) : ridge / (2 * intensity);
  Ratios ratios{memory_from / memory_to, compute_from / compute_to};
  const int units_from = from.multiprocessors.value, units_to = to.multiprocessors.value;
  if (units_from > 0 && units_to > 0) ratios = wave_ratios(ratios, blocks(work), units_from, units_to);
  return std::pow(ratios.memory, gamma) * std::pow(ratios.compute, 1 - gamma);
}

Seconds transferred_time(Seconds time, const KernelWork& work, Precision precision, const AcceleratorSpec& from,
                         const AcceleratorSpec& to) {
  const Seconds launches = min(time, from.kernel_launch.value * work.launches);
  return (time - launches) * transfer_factor(work, precision, from, to) + to.kernel_launch.value * work.launches;
}

}  // namespace mlsim::sim
