// splitmix() is the finalizer of splitmix64: it mixes 64 bits evenly.
#pragma once

#include <cstdint>

namespace mlsim {

/// The mix is a bijection; 0 stays 0 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014).
inline std::uint64_t splitmix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// splitmix64 adds this step to its state before each draw: 2^64 over the golden ratio.
inline constexpr std::uint64_t kSplitmixStep = 0x9e3779b97f4a7c15u;

}  // namespace mlsim
