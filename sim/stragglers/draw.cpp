#include "sim/stragglers/draw.hpp"

namespace mlsim::sim {
namespace {

// A step and the finalizer of splitmix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, 2014).
std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  std::uint64_t x = state + 0x9e3779b97f4a7c15u * (value + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

double draw(std::uint64_t seed, DrawFor purpose, std::uint64_t step, std::uint64_t index) {
  const std::uint64_t bits = mixed(mixed(mixed(mixed(0, seed), static_cast<std::uint64_t>(purpose)), step), index);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace mlsim::sim
