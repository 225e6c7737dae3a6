#include "sim/options/parsed_anchor.hpp"

#include "sim/options/options_text.hpp"

namespace mlsim::sim {

ParsedAnchor::ParsedAnchor(const Anchor& anchor)
    : id(anchor.id),
      topology(anchor.topology),
      accelerators(anchor.accelerators),
      workload(anchor.workload),
      precision(anchor.precision),
      global_batch(anchor.global_batch),
      options(options_of(anchor.settings)),
      throughput(anchor.throughput),
      source(anchor.source) {}

}  // namespace mlsim::sim
