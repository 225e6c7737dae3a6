// What a fitted law gives for the time of a kernel.
#pragma once

#include "core/profile/kernel_law.hpp"

namespace mlsim::costs {

/// FLOP that the machine works through, whole tiles and waves.
Flop padded_flop(const KernelLaw& law, const KernelWork& work);
/// The time of work that is padded already.
Seconds padded_time(const KernelLaw::Constants& constants, double exponent, Flop padded, Bytes bytes, int launches);

/// Throws std::logic_error where the law is not of the work's operator.
Seconds kernel_time(const KernelLaw& law, const KernelWork& work);
/// With one of its replicas' constants.
Seconds kernel_time(const KernelLaw& law, const KernelLaw::Constants& constants, const KernelWork& work);

}  // namespace mlsim::costs
