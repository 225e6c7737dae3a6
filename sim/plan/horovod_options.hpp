// How Horovod is set up, and where it runs at all.
#pragma once

#include "core/settings.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// Defaults of Horovod 0.16.2 to 0.20 (horovod/horovod, horovod/common/operations.cc; 64 MiB and 5 ms since 0.14, the
/// cache of responses since 0.16.2). From 0.21.0 on they are 1 ms and 128 MiB.
struct HorovodOptions {
  Seconds cycle = milliseconds(5);  // HOROVOD_CYCLE_TIME
  Bytes buffer = mebibytes(64);     // HOROVOD_FUSION_THRESHOLD; 0 fuses nothing
  bool cache = true;                // HOROVOD_CACHE_CAPACITY above 0
};
bool uses_horovod(const Settings& settings);
/// Throws Infeasible where Horovod does not run or exchanges otherwise: TPUs, and ranks that split a model.
void check_horovod(const Plan& plan);
/// From horovod_cycle, fusion_buffer and horovod_cache.
HorovodOptions horovod_options(const Settings& settings);

}  // namespace mlsim::sim
