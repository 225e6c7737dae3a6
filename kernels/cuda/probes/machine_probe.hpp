// These probes are of the machine itself: copies, launches, and a kernel beside something else.
#pragma once

#include <memory>

#include "kernels/cuda/framework/device.hpp"

namespace mlsim::kernels::cuda {

enum class CopyDirection { host_to_device, device_to_host };

/// Times a copy between pinned host memory and the device, by the copy engine.
std::unique_ptr<TimedLaunch> timed_host_copy(CopyDirection direction, std::size_t bytes);

/// Times one empty kernel among many that the host starts one by one, or that a graph holds.
std::unique_ptr<Timed> timed_empty_kernels(bool in_graph);

/// Times `main` while `other` runs on another stream, again and again, from before until behind it.
std::unique_ptr<TimedLaunch> timed_beside(std::unique_ptr<TimedLaunch> main, std::unique_ptr<TimedLaunch> other);

}  // namespace mlsim::kernels::cuda
