// A JsonReader reads JSON objects strictly, field by field. Only core's .cpp files include it: nlohmann shows here.
//
// A type T that has `template <class Io> void describe(Io&, T&)` is read by JsonReader and written by JsonWriter from
// that one list of its keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/field_rule.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

using Json = nlohmann::ordered_json;

/// Throws InputError with file and line where the text is empty, binary, truncated, nested beyond 64 levels, names a
/// key twice in one object, has more than 1000 keys in one or is no JSON.
Json parse_json(const std::string& text, const std::string& file);

/// Throws InputError where a text or key anywhere in `value` holds a control character other than ends of lines and
/// tabs; texts of files from elsewhere are shown.
void refuse_control(const Json& value, const std::string& place);

class JsonReader {
 public:
  /// Reads the outermost object of `file`. Throws InputError where `value` is none.
  JsonReader(const Json& value, const std::string& file) : JsonReader(value, file, file + ": ") {}

  /// Reads the value under `key`; throws InputError on a wrong type, or a value beyond `rule`
  /// (core/text/field_rule.hpp).
  template <class T, class... Rule>
  void field(const char* key, T& value, Rule... rule) {
    if (const Json* found = take(key)) read(*found, place_of(key), value, rule...);
  }
  /// Reads a key that may be left out.
  template <class T, class... Rule>
  void field_if_any(const char* key, std::optional<T>& value, Rule... rule) {
    value.reset();
    if (!object_.contains(key)) return known_.push_back(key);
    value = T{};  // not emplace(), for which clang 14 does not know a nested T yet
    read(*take(key), place_of(key), *value, rule...);
  }
  /// Reads a value kept as text: `parse` throws InputError without a place. The printer is for JsonWriter.
  template <class T, class Print, class Parse>
  void word(const char* key, T& value, Print, Parse parse) {
    std::string text;
    field(key, text);
    if (!missing_.empty()) return;
    try {
      value = parse(text);
    } catch (const InputError& e) {
      throw InputError(place_of(key), e.reason());
    }
  }
  template <Worded E>
  void word(const char* key, E& value) {
    word(key, value, mlsim::name<E>, mlsim::parse<E>);
  }
  /// Throws InputError for a key that no field asked for (with the nearest that one did), then for a missing one.
  void finish() const;

 private:
  /// `place` is "file: key.key[0]"; `prefix` goes before a key of this object.
  JsonReader(const Json& value, std::string place, std::string prefix);
  const Json* take(const char* key);
  std::string place_of(const std::string& key) const { return prefix_ + key; }

  static void read(const Json& json, const std::string& place, double& value, NumberRange bounds = {});
  static void read(const Json& json, const std::string& place, int& value, NumberRange bounds = {});
  static void read(const Json& json, const std::string& place, std::uint64_t& value);
  static void read(const Json& json, const std::string& place, bool& value);
  static void read(const Json& json, const std::string& place, std::string& value);
  static void read(const Json& json, const std::string& place, std::string& value, const OneOf& known);
  static void read(const Json& json, const std::string& place, std::array<double, 2>& value, NumberRange bounds = {});
  static void read(const Json& json, const std::string& place, std::map<std::string, std::string>& value);
  static void expect_list(const Json& json, const std::string& place);

  template <int S, int B, int F, int D>
  static void read(const Json& json, const std::string& place, Quantity<S, B, F, D>& value, NumberRange bounds = {}) {
    read(json, place, value.value, bounds);
  }
  template <class T, class... Rule>
  static void read(const Json& json, const std::string& place, std::optional<T>& value, Rule... rule) {
    value.reset();
    if (json.is_null()) return;
    T inner{};
    read(json, place, inner, rule...);
    value = std::move(inner);
  }
  template <class T>
  static void read(const Json& json, const std::string& place, std::vector<T>& values) {
    expect_list(json, place);
    values.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
      read(json[i], place + "[" + std::to_string(i) + "]", values.emplace_back());
    }
  }
  template <class T>
  static void read(const Json& json, const std::string& place, T& value) {
    JsonReader reader(json, place, place + ".");
    describe(reader, value);
    reader.finish();
  }

  const Json& object_;
  std::string place_, prefix_;
  std::vector<std::string> known_, missing_;
};

/// Reads a value of one's own by its describe(). Throws InputError with `place`, also for what it does not know.
template <class Value>
Value described(const Json& json, const std::string& place) {
  Value value;
  JsonReader reader(json, place);
  describe(reader, value);
  reader.finish();
  return value;
}

}  // namespace mlsim
