// The names of the folders below are the vocabulary of studies: they need no qualification here.
#pragma once

namespace mlsim::sim {}

namespace mlsim::studies {
using namespace sim;
}  // namespace mlsim::studies
