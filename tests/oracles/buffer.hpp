// One rank's payload in a symbolic execution: whose data lies where, and how often it was added.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/collectives/schedule.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// (rank, times its data was added), by rank. Empty: nothing meaningful lies here.
using Contributions = std::vector<std::pair<int, int>>;

/// The sum of both multisets.
Contributions sum(const Contributions& a, const Contributions& b);

class SymbolicBuffer {
 public:
  struct Part {
    Segment where;
    Contributions what;
  };

  explicit SymbolicBuffer(std::uint64_t elements) : elements_(elements) {
    if (elements > 0) parts_[0] = {};
  }

  /// What lies in a segment, part by part.
  std::vector<Part> read(Segment where) const;
  void replace(const Part& part);
  void add(const Part& part);

 private:
  void split(std::uint64_t at);

  std::uint64_t elements_;
  std::map<std::uint64_t, Contributions> parts_;  // by first element; a part ends where the next begins
};

}  // namespace mlsim::test
