#include "calibrate/collectives/start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/measure.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {

const Words<Synchronisation>& words(Synchronisation) {
  static const Words<Synchronisation> table{"synchronisation", {"barrier", "window"}};
  return table;
}

void Start::synchronise() {
  if (synchronisation_ == Synchronisation::window) lead_ = world_.clock_lead().lead;
}

bool Start::together() {
  if (synchronisation_ == Synchronisation::barrier) {
    world_.barrier();
    return true;
  }
  // The time is written to the nanosecond: a double has digits for that on clocks that count from the last boot.
  const std::string word = world_.from_root(fmt::format("{:.9f}", (steady_now() + window_).value));
  const Seconds begin = Seconds(parse_number(word)) + lead_;
  if (steady_now() > begin) return false;
  while (steady_now() < begin) {
  }
  return true;
}

}  // namespace mlsim::calibrate
