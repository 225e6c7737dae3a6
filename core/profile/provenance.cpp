#include "core/profile/provenance.hpp"

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim {

const Words<Provenance>& words(Provenance) {
  static const Words<Provenance> table{"provenance", {"measured", "published", "datasheet", "fitted", "assumed"}};
  return table;
}

}  // namespace mlsim
