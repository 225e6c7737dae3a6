// A Timed can be run and timed again and again: a kernel, a copy, a collective.
#pragma once

#include <optional>
#include <string>

#include "core/profile/measurement.hpp"
#include "core/units.hpp"

namespace mlsim::kernels {

/// A `Timed` is made ready once, operands in place, and then sampled.
class Timed {
 public:
  virtual ~Timed() = default;

  /// Runs it once and returns what it took. `cold`: with caches that hold something else.
  virtual Seconds sample(Cache cache) = 0;
  /// Runs it once on random numbers and compares with a slow reference in float64: the largest absolute difference over
  /// the largest absolute element of the reference. Leaves it ready to be sampled.
  virtual double largest_error() = 0;
  /// Counts what is moved to and from memory at least; of a collective it is the payload.
  virtual Bytes bytes() const = 0;
  virtual Flop flop() const = 0;
  /// Returns the name that a library gives its implementation, where it gives one: "jit:avx2".
  virtual std::optional<std::string> implementation() const { return {}; }
};

}  // namespace mlsim::kernels
