// An accelerator family is a kind of accelerator that software treats alike.
#pragma once

#include <cstdint>

#include "core/text/words.hpp"

namespace mlsim::topologies {

enum class AcceleratorFamily : std::uint8_t { tpu, gpu, cpu };

const Words<AcceleratorFamily>& words(AcceleratorFamily);

}  // namespace mlsim::topologies
