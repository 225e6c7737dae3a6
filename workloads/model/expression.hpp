// expression_value() reads whole-number expressions of parameters in model files: "4 * hidden", "(image + 31) / 32".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mlsim::workloads {

/// A NamedInteger returns the value of a parameter; throws InputError where there is none of that name.
using NamedInteger = std::function<std::int64_t(const std::string& name)>;

/// An expression has + - * / and parentheses over whole numbers and names (letters, digits and _, not starting with a
/// digit). Throws InputError without a place on bad syntax, a division that leaves a rest and a value beyond 64 bits.
std::int64_t expression_value(std::string_view text, const NamedInteger& value_of);

/// Says whether `name` can name a parameter.
bool is_parameter_name(std::string_view name);

}  // namespace mlsim::workloads
