// Collective times by formula: the second answer beside every simulation.
#pragma once

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// One link class as the formulas see it: time of m bytes = alpha + m / bandwidth.
struct AlphaBeta {
  Seconds alpha;
  BytesPerSecond bandwidth;
};

/// Time of `pattern` on n positions with payload `bytes`, where every hop has its own links of cost `link`.
/// Sources: Thakur, Rabenseifner & Gropp 2005; Patarasuk & Yuan 2009; Sanders, Speck & Traeff 2009.
Seconds pattern_time(Pattern pattern, int n, Bytes bytes, AlphaBeta link, int chunks = 1);

}  // namespace mlsim::test
