// A `KernelClass` says which operators share a law.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/kernel_key.hpp"

namespace mlsim::calibrate {

/// The operators of a class have kernels of one make.
struct KernelClass {
  std::string name;
  std::vector<KernelOp> ops;
  std::string family;  // classes of a family share a law where one alone has too few samples
};

/// Every operator is in one class.
const std::vector<KernelClass>& kernel_classes();

/// Groups classes, class i with `counts[i]` samples, so that each group has `fewest` or more: a class alone where it
/// can, else with the others of its family that have too few as well. Classes that no group takes are left out.
std::vector<std::vector<std::size_t>> grouped_classes(const std::vector<std::size_t>& counts, std::size_t fewest);

}  // namespace mlsim::calibrate
