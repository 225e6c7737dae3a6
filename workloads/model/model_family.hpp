// A ModelFamily is models that are trained alike: the same usual optimizers, batches and terms of a software stack.
#pragma once

#include <cstdint>

#include "core/text/words.hpp"

namespace mlsim::workloads {

enum class ModelFamily : std::uint8_t { convolutional, transformer, translation, recurrent, recommender, linear };

const Words<ModelFamily>& words(ModelFamily);

}  // namespace mlsim::workloads
