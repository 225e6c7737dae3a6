// A `NetworkSort` is a sort of networks whose kernels run at like speeds.
#pragma once

#include <cstdint>

#include "core/text/words.hpp"

namespace mlsim::workloads {

/// Finer than ModelFamily: what is convolutional on boxes or sound runs at other speeds than on images.
enum class NetworkSort : std::uint8_t { image, detection, speech, transformer, recurrent, recommender };

const Words<NetworkSort>& words(NetworkSort);

}  // namespace mlsim::workloads
