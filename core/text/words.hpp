// Words write enumerations as people do: one table gives the names of all values, the name of one, and reads one.
//
// An enumeration has `inline Words<E> words(E)` beside itself; then names<E>(), name(value) and parse<E>(word) work.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"

namespace mlsim {

template <class E>
struct Words {
  std::string_view what;                             // what a value is called in errors: "precision"
  std::vector<std::string> names;                    // in the order of the values, which count from 0
  std::vector<std::pair<std::string, E>> also = {};  // other spellings that are read, not written
};

/// A Worded enumeration has a table of words.
template <class E>
concept Worded = std::is_enum_v<E> && requires(E value) {
  words(value).names;
};

/// Returns the table, made once.
template <Worded E>
const Words<E>& table_of() {
  static const Words<E> table = words(E{});
  return table;
}

template <Worded E>
const std::vector<std::string>& names() {
  return table_of<E>().names;
}

template <Worded E>
std::string_view name(E value) {
  return names<E>()[static_cast<std::size_t>(value)];
}

/// Returns the value of that name. Throws InputError with the nearest name where there is none.
template <Worded E>
E parse(std::string_view word) {
  const Words<E>& table = table_of<E>();
  for (const auto& [spelling, value] : table.also)
    if (spelling == word) return value;
  const auto found = std::find(table.names.begin(), table.names.end(), word);
  if (found == table.names.end()) throw InputError(unknown_word(table.what, word, table.names));
  return static_cast<E>(found - table.names.begin());
}

}  // namespace mlsim
