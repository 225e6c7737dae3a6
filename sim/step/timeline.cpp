#include "sim/step/timeline.hpp"

namespace mlsim::sim {

Seconds Timeline::end() const {
  Seconds last;
  for (const auto& span : spans) last = max(last, span.end);
  return last;
}

}  // namespace mlsim::sim
