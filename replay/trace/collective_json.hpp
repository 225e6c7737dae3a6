// describe_collective() lists the keys of a recorded collective that runs and their validation share.
#pragma once

#include <optional>

#include "core/text/field_rule.hpp"
#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {

/// The keys belong to the object that holds the collective.
template <class Io>
void describe_collective(Io& io, const RecordedCollective& what) {
  io.word("kind", what.kind);
  io.field_if_any("payload_bytes", what.payload, kNotNegative);
  io.field_if_any("ranks", what.group_size > 0 ? std::optional(what.group_size) : std::nullopt, NumberRange{1});
}

}  // namespace mlsim::replay
