// describe() lists the keys of statements in JSON. Only core's .cpp files include this header.
#pragma once

#include <cmath>

#include "core/text/field_rule.hpp"
#include "core/text/statement.hpp"

namespace mlsim {

/// JSON has no number that is not finite: such a quantity keeps only its text.
template <class Io>
void describe(Io& io, NamedQuantity& quantity) {
  if (quantity.value && !std::isfinite(*quantity.value)) quantity.value.reset();
  io.field("name", quantity.name);
  io.field("value", quantity.value);
  io.field("unit", quantity.unit, OneOf{{"s", "B", "B/s", "1/s", "USD/s", "1", ""}});
  io.field("text", quantity.text);
}

/// These keys serve where the statement is an object of its own; elsewhere its text has a key that says what it states.
template <class Io>
void describe(Io& io, Statement& statement) {
  io.field("text", statement.text);
  io.field("quantities", statement.quantities);
}

}  // namespace mlsim
