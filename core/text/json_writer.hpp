// JsonWriter writes the same list of keys that JsonReader reads. Only core's .cpp files include it: nlohmann shows.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

class JsonWriter {
 public:
  /// `place` names the object in errors: "prediction".
  explicit JsonWriter(std::string place) : place_(std::move(place)) {}

  /// Throws std::logic_error with the key where a number is not finite: JSON has no such number.
  template <class T, class... Rule>
  void field(const char* key, T& value, Rule...) {
    object_[key] = json(place_ + "." + key, value);
  }
  /// Leaves the key out where there is no value.
  template <class T, class... Rule>
  void field_if_any(const char* key, std::optional<T>& value, Rule... rule) {
    if (value) field(key, *value, rule...);
  }
  template <class T, class Print, class Parse>
  void word(const char* key, T& value, Print print, Parse) {
    object_[key] = std::string(print(value));
  }
  template <Worded E>
  void word(const char* key, E& value) {
    word(key, value, mlsim::name<E>, mlsim::parse<E>);
  }
  /// Returns the object indented by two, with a newline at its end. Bytes that are not UTF-8 become U+FFFD.
  std::string text() const;
  /// Returns the same on one line, without an end.
  std::string line() const;

 private:
  using Json = nlohmann::ordered_json;

  static Json json(const std::string& place, double value);
  static Json json(const std::string&, int value) { return value; }
  static Json json(const std::string&, std::uint64_t value) { return value; }
  static Json json(const std::string&, bool value) { return value; }
  static Json json(const std::string&, std::string& value) { return value; }
  static Json json(const std::string& place, std::array<double, 2>& value);
  static Json json(const std::string&, std::map<std::string, std::string>& value);

  template <int S, int B, int F, int D>
  static Json json(const std::string& place, Quantity<S, B, F, D>& value) {
    return json(place, value.value);
  }
  template <class T>
  static Json json(const std::string& place, std::optional<T>& value) {
    return value ? json(place, *value) : Json(nullptr);
  }
  template <class T>
  static Json json(const std::string& place, std::vector<T>& values) {
    Json list = Json::array();
    for (auto& value : values) list.push_back(json(place, value));
    return list;
  }
  template <class T>
  static Json json(const std::string& place, T& value) {
    JsonWriter writer(place);
    describe(writer, value);
    return writer.object_;
  }

  std::string place_;
  Json object_ = Json::object();
};

/// Writes a value by its describe(), which serves both ways and so takes no const; `what` stands in complaints.
template <class Value>
JsonWriter written(const std::string& what, const Value& value) {
  Value copy = value;
  JsonWriter writer(what);
  describe(writer, copy);
  return writer;
}

}  // namespace mlsim
