// The keys of statements in JSON. Only for core's .cpp files.
#pragma once

#include <cmath>

#include "core/text/statement.hpp"

namespace mlsim {

/// JSON has no number that is not finite: of such a one the text remains.
template <class Io>
void describe(Io& io, NamedQuantity& quantity) {
  if (quantity.value && !std::isfinite(*quantity.value)) quantity.value.reset();
  io.field("name", quantity.name);
  io.field("value", quantity.value);
  io.field("unit", quantity.unit);
  io.field("text", quantity.text);
}

/// Where the statement is an object of its own; elsewhere its text has a key that says what it states.
template <class Io>
void describe(Io& io, Statement& statement) {
  io.field("text", statement.text);
  io.field("quantities", statement.quantities);
}

}  // namespace mlsim
