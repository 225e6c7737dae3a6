// Settings that would change nothing of an answer.
#pragma once

#include "core/settings.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Throws InputError for a setting that only counts beside another one that is not given: storage_bandwidth without
/// data=real, preemption_rate without price=preemptible; and for two that exclude each other: bucket with
/// exchange=horovod.
void check_company(const Settings& settings);

/// Throws InputError for a setting of the job or its price, where a step by itself is asked for.
void check_stepwise(const Settings& settings);

/// Throws InputError for a setting of the job where the answer has none.
void check_jobless(const Settings& settings);

}  // namespace mlsim::sim
