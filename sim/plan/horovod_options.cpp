#include "sim/plan/horovod_options.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim::sim {

bool uses_horovod(const Settings& settings) { return setting(settings, "exchange") == "horovod"; }

void check_horovod(const Plan& plan) {
  if (plan.cluster.accelerator.family == AcceleratorFamily::tpu)
    throw Infeasible(fmt::format("Horovod runs on GPUs and processors, not on {}; exchange=buckets works",
                                 plan.cluster.accelerator.name));
  if (plan.step.parallelism != data_parallel(plan.cluster.ranks()))
    throw Infeasible(fmt::format("Horovod sums gradients over ranks that hold the whole model, not {}; data={} works",
                                 to_text(plan.step.parallelism), plan.cluster.ranks()));
}

HorovodOptions horovod_options(const Settings& settings) {
  HorovodOptions options;
  if (const auto cycle = setting(settings, "horovod_cycle"); !cycle.empty())
    options.cycle = parse_quantity<Seconds>(cycle);
  if (const auto buffer = setting(settings, "fusion_buffer"); !buffer.empty())
    options.buffer = parse_quantity<Bytes>(buffer);
  options.cache = setting(settings, "horovod_cache", "on") == "on";
  return options;
}

}  // namespace mlsim::sim
