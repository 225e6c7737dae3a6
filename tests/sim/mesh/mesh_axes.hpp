// Parallelisms for the tests of meshes.
#pragma once

#include "tests/namespace.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::test {

inline Parallelism axes(int data, int spatial = 1, int tensor = 1, int pipeline = 1) {
  Parallelism parallelism;
  parallelism[Axis::data] = data;
  parallelism[Axis::spatial] = spatial;
  parallelism[Axis::tensor] = tensor;
  parallelism[Axis::pipeline] = pipeline;
  return parallelism;
}

}  // namespace mlsim::test
