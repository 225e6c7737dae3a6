#include "sim/stragglers/draw.hpp"

#include "core/splitmix.hpp"

namespace mlsim::sim {
namespace {

std::uint64_t drawn(std::uint64_t state, std::uint64_t value) { return splitmix(state + kSplitmixStep * (value + 1)); }

}  // namespace

double draw(std::uint64_t seed, DrawFor purpose, std::uint64_t step, std::uint64_t index) {
  const std::uint64_t bits = drawn(drawn(drawn(drawn(0, seed), static_cast<std::uint64_t>(purpose)), step), index);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace mlsim::sim
