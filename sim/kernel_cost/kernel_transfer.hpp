// A transfer gives what a kernel takes on an accelerator that nobody has, from what it took on another.
#pragma once

#include "core/kernel/kernel_key.hpp"
#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Gives time on `to` / time on `from` of what a kernel does besides being launched, by roofline-weighted wave scaling
/// (Habitat: Yu et al., USENIX ATC 2021, arXiv:2102.00527, equations 2 to 4):
///   (D_from / D_to)^g (waves_to / C_to)^(1 - g) / (waves_from / C_from)^(1 - g)
/// where D is the memory bandwidth, C the rate of one multiprocessor in the precision (the paper's clock, times what a
/// generation of matrix units does in a cycle), and waves = blocks of one launch over multiprocessors, rounded up.
/// Blocks of a matrix product are its tiles of 128 x 128; where they leave multiprocessors idle they are cut along K,
/// no shallower than a tile is wide. A kernel of many waves scales by the rates of the whole accelerators, as all do
/// where one of the two has no count of multiprocessors; one that fills no wave on either by C alone, as in the
/// authors' code. g = 1 - x / 2R where the kernel's intensity x FLOP/B lies below the ridge point R of `to`, else R /
/// 2x. Throws Infeasible where one of the two does not compute in the precision.
double transfer_factor(const KernelWork& work, Precision precision, const AcceleratorSpec& from,
                       const AcceleratorSpec& to);

/// Transfers a whole kernel: launches take what each accelerator takes for them.
Seconds transferred_time(Seconds time, const KernelWork& work, Precision precision, const AcceleratorSpec& from,
                         const AcceleratorSpec& to);

/// One sigma of the log of a transferred step is the root mean square over 31 published runs of A100 predicted from
/// V100, the worse of the two pairs of `mlsim validate transfer` (validation/scores/transfer.hpp); their code is years
/// newer, too.
inline constexpr double kTransferSpread = 0.26;

}  // namespace mlsim::sim
