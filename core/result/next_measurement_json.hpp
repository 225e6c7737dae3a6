// describe() lists the keys of a NextMeasurement in JSON. Only core's .cpp files include this header.
#pragma once

#include "core/result/next_measurement.hpp"
#include "core/text/field_rule.hpp"
#include "core/text/statement_json.hpp"

namespace mlsim {

template <class Io>
void describe(Io& io, NextMeasurement& next) {
  io.field("what", next.what.text);
  io.field("quantities", next.what.quantities);
  io.field("share_of_step", next.share, kNotNegative);
  io.field("command", next.command);
}

}  // namespace mlsim
