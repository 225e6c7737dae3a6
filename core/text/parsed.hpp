// parsed() reads the value of an option or word and names it in errors.
#pragma once

#include <string>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"

namespace mlsim {

/// Returns what `parse` makes of the option's text; its InputError names the option.
template <class Parse>
auto parsed(const std::string& option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const InputError& e) {
    throw InputError(option, e.reason());
  }
}

/// Parses each item between commas.
template <class Parse>
auto parsed_list(const std::string& option, const std::string& text, Parse parse) {
  std::vector<decltype(parse(text))> list;
  for (const auto& item : split(text, ',')) list.push_back(parsed(option, item, parse));
  return list;
}

}  // namespace mlsim
