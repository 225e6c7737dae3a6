// describe() lists the keys of a Source in JSON. Only .cpp files include this header.
#pragma once

#include "core/profile/provenance.hpp"

namespace mlsim {

template <class Io>
void describe(Io& io, Source& source) {
  io.word("provenance", source.provenance);
  io.field("source", source.source);
  io.field("date", source.date);
}

}  // namespace mlsim
