// A `DeviceLost` says that no later call can reach the GPU.
#pragma once

#include <stdexcept>

namespace mlsim::kernels {

/// The context is broken: the program that holds it has to end.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mlsim::kernels
