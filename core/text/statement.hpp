// A Statement is a sentence of an answer whose quantities and names stay values: people read the text, reports and
// machines read the values, and nobody has to find a number in prose.
//
//  Statement("recipe ", named("recipe", "mlperf"), ": ", named("epochs", 41.5), " epochs")
//
// A quantity is written where it stands, so that no sentence lacks one of its quantities or names one it has not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/units.hpp"

namespace mlsim {

struct NamedQuantity {
  std::string name;             // "epochs"; several of one name are a list
  std::string unit;             // "s", "B", "B/s", "1/s", "USD/s"; "1" of a number or share, empty for words
  std::optional<double> value;  // in that unit; empty for words
  std::string text;             // as people read it: "41.5", "1 281 167", "19.8 ms", "ring"
  bool operator==(const NamedQuantity&) const = default;
};

/// These write a quantity as to_text of core/text/units_text.hpp does.
NamedQuantity named(std::string_view name, Seconds time);
NamedQuantity named(std::string_view name, Bytes size);
NamedQuantity named(std::string_view name, BytesPerSecond rate);
/// Writes a rate of samples with three digits: "945 samples/s".
NamedQuantity named(std::string_view name, PerSecond rate);
/// Writes three digits: "41.5".
NamedQuantity named(std::string_view name, double number);
NamedQuantity named(std::string_view name, int number);
/// Names a name or a few words that stand for themselves: "ring".
NamedQuantity named(std::string_view name, std::string_view words);
/// Writes all digits that a number has: "0.0475".
NamedQuantity named_exact(std::string_view name, double number);
/// Separates thousands: "1 281 167".
NamedQuantity named_count(std::string_view name, double number);
/// Writes a share, 0.931 as "93.1 %".
NamedQuantity named_percent(std::string_view name, double share);

struct Statement;

template <class T>
concept Prose = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept StatementPart = Prose<T> || std::is_same_v<T, NamedQuantity> || std::is_same_v<T, Statement>;

struct Statement {
  std::string text;
  std::vector<NamedQuantity> quantities;  // in the order of the text

  Statement() = default;
  /// Puts the parts one behind the other.
  template <StatementPart... Parts>
  requires(sizeof...(Parts) > 0) Statement(const Parts&... parts) { (add(parts), ...); }

  template <Prose Words>
  void add(const Words& words) {
    text += std::string_view(words);
  }
  void add(const NamedQuantity& quantity);
  void add(const Statement& other);
  template <StatementPart First, StatementPart Second, StatementPart... Others>
  void add(const First& first, const Second& second, const Others&... others) {
    add(first);
    add(second);
    (add(others), ...);
  }

  bool operator==(const Statement&) const = default;
};

/// Puts the parts one behind the other with `separator` between them.
Statement joined(const std::vector<Statement>& parts, std::string_view separator);

}  // namespace mlsim
