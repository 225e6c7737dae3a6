#include "sim/timeline.hpp"

namespace mlsim {

Seconds Timeline::end() const {
  Seconds last;
  for (const auto& span : spans) last = max(last, span.end);
  return last;
}

}  // namespace mlsim
