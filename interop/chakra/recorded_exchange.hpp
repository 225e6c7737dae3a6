// An exchange of a recorded step is made of the nodes of several files that are one collective or one message.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "interop/chakra/recorded_ranks.hpp"
#include "interop/namespace.hpp"

namespace mlsim::interop {

struct EtExchange {
  CollectiveKind kind = CollectiveKind::all_reduce;  // send_receive: a message from the first rank to the second
  std::vector<int> ranks;
  Bytes payload;         // the larger of a rank's two buffers
  Bytes element{4};      // of one number
  std::uint64_t id = 0;  // of its node on the first rank that has it
};

struct EtExchanges {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<EtExchange> all;
  std::vector<std::vector<std::size_t>> of;  // by rank and node: index into `all`, or kNone
};

/// The n-th collective of a group in the order of ids is one on all of its ranks; the n-th send of a tag belongs to the
/// n-th receive. Throws InputError where ranks differ in kind, size or number.
EtExchanges exchanges_of(const EtRanks& run);

}  // namespace mlsim::interop
