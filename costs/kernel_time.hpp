// kernel_time() gives the time of a kernel by a fitted law.
#pragma once

#include "core/profile/kernel_law.hpp"

namespace mlsim::costs {

/// Returns the FLOP that the machine works through, whole tiles and waves.
Flop padded_flop(const KernelLaw& law, const KernelWork& work);
/// Returns the time of work that is padded already.
Seconds padded_time(const KernelLaw::Constants& constants, double exponent, Flop padded, Bytes bytes, int launches);

/// Throws std::logic_error where the law is not of the work's operator.
Seconds kernel_time(const KernelLaw& law, const KernelWork& work);
/// Uses the constants of one of the law's replicas.
Seconds kernel_time(const KernelLaw& law, const KernelLaw::Constants& constants, const KernelWork& work);

}  // namespace mlsim::costs
