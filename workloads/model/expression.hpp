// Whole-number expressions of named parameters, as model files hold them: "4 * hidden", "(image + 31) / 32".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mlsim::workloads {

/// The value of a parameter; throws InputError where there is none of that name.
using NamedInteger = std::function<std::int64_t(const std::string& name)>;

/// + - * / and parentheses over whole numbers and names (letters, digits and _, not starting with a digit). Throws
/// InputError without a place on bad syntax, a division that leaves a rest and a value beyond 64 bits.
std::int64_t expression_value(std::string_view text, const NamedInteger& value_of);

/// Whether `name` can name a parameter.
bool is_parameter_name(std::string_view name);

}  // namespace mlsim::workloads
