#include "validation/cases/evidence.hpp"

namespace mlsim::validation {

RunTraits case_traits(const Case& c, TraitsReader& reader) {
  RunTraits traits = reader.names(c.topology, c.workload, c.options);
  traits.precision = c.precision;
  traits.source = c.source;
  traits.splits_model = !c.parallelism.empty();
  traits.to_target = c.metric == Metric::time_to_accuracy;
  traits.accelerators = c.accelerators;
  traits.global_batch = c.global_batch.value_or(0);
  traits.micro_batch = traits.batch_each() / c.options.memory.accumulation.value_or(1);
  return traits;
}

}  // namespace mlsim::validation
