// An `OptionValue` takes values between text and members of Options: words, numbers, quantities, counts, lists.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "sim/options/option.hpp"

namespace mlsim::sim {

/// Names a member of Options or of one of its parts: member(&Options::memory, &MemoryOptions::recompute).
template <class... Steps>
auto member(Steps... steps) {
  return [=](auto& options) -> auto& { return (options.*....*steps); };
}

/// Puts a value that the user gave into its member.
template <class T, class Value>
void assign(T& slot, Value value) {
  slot = std::move(value);
}
template <class T>
void assign(Sourced<T>& slot, T value) {
  slot = {value, {Provenance::assumed, "set by the user", ""}};
}

/// Returns the value that a member holds; null where it is empty.
template <class T>
const T* held(const T& slot) {
  return &slot;
}
template <class T>
const T* held(const std::optional<T>& slot) {
  return slot ? &*slot : nullptr;
}
template <class T>
const T* held(const Sourced<T>& slot) {
  return &slot.value;
}
template <class Member>
using Held = std::remove_cvref_t<decltype(*held(std::declval<Member>()(std::declval<const Options&>())))>;

/// `read` makes a value of a text (InputError without a place), `write` the text of a value.
template <class Member, class Read, class Write>
OptionValue value_of(Member at, Read read, Write write) {
  return {[=](Options& options, const std::string& text) { assign(at(options), read(text)); },
          [=](const Options& options) -> std::string {
            const auto* value = held(at(options));
            return value == nullptr ? std::string() : write(*value);
          }};
}

/// Takes any text, or one of those that `known` lists at the time.
template <class Member>
OptionValue text_of(Member at, std::vector<std::string> (*known)() = nullptr) {
  const auto read = [=](const std::string& text) {
    const auto all = known == nullptr ? std::vector{text} : known();
    if (std::find(all.begin(), all.end(), text) == all.end()) throw InputError(unknown_word("value", text, all));
    return text;
  };
  return value_of(at, read, [](const std::string& text) { return text; });
}

/// Takes one of some words, each with its value.
template <class Member>
OptionValue spelled(Member at, std::vector<std::pair<std::string, Held<Member>>> words) {
  const auto read = [=](const std::string& text) {
    std::vector<std::string> known;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      known.push_back(word);
    }
    throw InputError(unknown_word("value", text, known));
  };
  const auto write = [=](const Held<Member>& value) {
    for (const auto& [word, meant] : words)
      if (meant == value) return word;
    return std::string();
  };
  return value_of(at, read, write);
}

/// Takes one of some words, in the order of an enumeration.
template <class Member>
OptionValue word_of(Member at, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, Held<Member>>> words;
  for (const auto& name : names) words.emplace_back(name, static_cast<Held<Member>>(words.size()));
  return spelled(at, std::move(words));
}

/// Takes one of the words of an enumeration, in any spelling of its table.
template <class Member>
OptionValue worded(Member at) {
  using Value = Held<Member>;
  const auto read = [](const std::string& text) {
    const Words<Value>& table = words(Value{});
    for (const auto& [spelling, value] : table.also)
      if (spelling == text) return value;
    const auto found = std::find(table.names.begin(), table.names.end(), text);
    if (found == table.names.end()) throw InputError(unknown_word("value", text, table.names));
    return static_cast<Value>(found - table.names.begin());
  };
  return value_of(at, read, [](Value value) { return std::string(name(value)); });
}

template <class Member>
OptionValue on_off(Member at) {
  return spelled(at, {{"on", true}, {"off", false}});
}

inline double plain(double number) { return number; }
inline double plain(PerSecond rate) { return rate.value; }

template <class Member>
OptionValue number_between(Member at, double least, double most) {
  using Value = Held<Member>;
  const auto read = [=](const std::string& text) {
    const int lowest = std::min(1, static_cast<int>(least));
    const double number = std::is_integral_v<Value> ? parse_count(text, lowest) : parse_number(text);
    if (number < least || number > most)
      throw InputError(fmt::format("must be between {:g} and {:g}, not {}", least, most, text));
    return Value(number);
  };
  return value_of(at, read, [](const Value& value) { return fmt::format("{}", plain(value)); });
}

/// Exact texts have all digits, unlike to_text.
inline std::string exact_text(Seconds time) { return fmt::format("{} s", time.value); }
inline std::string exact_text(Bytes size) { return fmt::format("{} B", size.value); }
inline std::string exact_text(BytesPerSecond rate) { return fmt::format("{} B/s", rate.value); }

template <class Member>
OptionValue quantity_between(Member at, Held<Member> least, Held<Member> most) {
  using Value = Held<Member>;
  const auto read = [=](const std::string& text) {
    const auto quantity = parse_quantity<Value>(text);
    if (quantity < least || quantity > most)
      throw InputError(fmt::format("must be between {} and {}, not {}", to_text(least), to_text(most), text));
    return quantity;
  };
  return value_of(at, read, [](const Value& value) { return exact_text(value); });
}

/// `reason` says in the error why the count is at most `most`.
template <class Member>
OptionValue count_up_to(Member at, int most, const std::string& reason) {
  const auto read = [=](const std::string& text) {
    const int count = parse_count(text);
    if (count > most) throw InputError(fmt::format(fmt::runtime(reason), text));
    return count;
  };
  return value_of(at, read, [](int count) { return fmt::format("{}", count); });
}

/// The items stand between commas.
template <class Member, class Read, class Write>
OptionValue list_of(Member at, Read read_item, Write write_item) {
  using List = Held<Member>;
  const auto read = [=](const std::string& text) {
    List list;
    for (const auto& item : split(text, ',')) list.push_back(read_item(item));
    return list;
  };
  const auto write = [=](const List& list) {
    std::vector<std::string> items;
    for (const auto& item : list) items.push_back(write_item(item));
    return fmt::format("{}", fmt::join(items, ","));
  };
  return value_of(at, read, write);
}

}  // namespace mlsim::sim
