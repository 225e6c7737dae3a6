// quotient_scale() copies flow classes of a quotient in parallel, so that links of every class are shared as before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Each link of class `link` carries `count` flows of class `flow`.
struct Multiplicity {
  std::uint32_t link = 0, flow = 0;
  std::uint64_t count = 0;
};

struct QuotientScale {
  std::vector<std::uint64_t> copies;  // copies of each flow class, the smallest that fit
  std::vector<double> capacity;       // capacity of each link class, in capacities of one of its links
};

/// With r_f copies of flow class f, all of one rate x_f, a link of class l whose capacity is B c_l holds sum(r_f x_f)
/// <= B c_l, which is the original sum(m_lf x_f) <= B where r_f = c_l m_lf for all f that cross it. The result is empty
/// where no such numbers exist or where they would need more than `most_copies` flows. A link class that no flow
/// crosses has capacity 1.
std::optional<QuotientScale> quotient_scale(std::uint32_t flow_classes, std::uint32_t link_classes,
                                            const std::vector<Multiplicity>& multiplicities, std::uint64_t most_copies);

}  // namespace mlsim::sim
