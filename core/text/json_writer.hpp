// JsonWriter writes a result by its describe(), the list of keys by which JsonReader reads it. Only .cpp files include
// it: nlohmann shows.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/text/field_rule.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

template <class T>
concept JsonText = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept JsonOptional = requires(T value) {
  value.has_value();
};
template <class T>
concept JsonMap = requires {
  typename T::mapped_type;
};
template <class T>
concept JsonList = requires(T value) {
  value.begin();
  value.end();
};
template <class T>
concept JsonQuantity = requires(T value) {
  []<int S, int B, int F, int D>(const Quantity<S, B, F, D>&) {}(value);
};

/// Turns a number that JSON does not have into none.
inline std::optional<double> if_finite(std::optional<double> number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}
/// Turns an empty text or list into none.
template <class T>
std::optional<T> if_any(const T& value) {
  return value.empty() ? std::nullopt : std::optional(value);
}

class JsonWriter {
 public:
  /// Returns a value with lines indented by two, and a newline at its end. `what` names it in errors: "prediction".
  /// Bytes that are not UTF-8 become U+FFFD.
  template <class T>
  static std::string text(const std::string& what, const T& value) {
    return json(what, value).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  /// Returns the same on one line, without an end.
  template <class T>
  static std::string line(const std::string& what, const T& value) {
    return json(what, value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  /// Throws std::logic_error with the key where a number is not finite: JSON has no such number.
  template <class T, class... Rule>
  void field(const char* key, T&& value, Rule...) {
    object_[key] = json(place_ + "." + key, value);
  }
  /// Leaves the key out where there is no value.
  template <JsonOptional T, class... Rule>
  void field_if_any(const char* key, T&& value, Rule... rule) {
    if (value) field(key, *value, rule...);
  }
  template <class T, class Print, class Parse>
  void word(const char* key, const T& value, Print print, Parse) {
    object_[key] = std::string(print(value));
  }
  template <Worded E>
  void word(const char* key, const E& value) {
    field(key, value);
  }
  /// Writes keys that are not known before, with texts.
  template <JsonList Pairs>
  void other_fields(const Pairs& pairs) {
    for (const auto& [key, value] : pairs) object_[key] = value;
  }

 private:
  using Json = nlohmann::ordered_json;

  explicit JsonWriter(std::string place) : place_(std::move(place)) {}

  static Json number(const std::string& place, double value);

  template <class T>
  static Json json(const std::string& place, T& value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, double>) {
      return number(place, value);
    } else if constexpr (std::is_arithmetic_v<Plain>) {
      return value;
    } else if constexpr (JsonText<Plain>) {
      return std::string(value);
    } else if constexpr (Worded<Plain>) {
      return std::string(name(value));
    } else if constexpr (JsonQuantity<Plain>) {
      return number(place, value.value);
    } else if constexpr (JsonOptional<Plain>) {
      return value ? json(place, *value) : Json();
    } else if constexpr (JsonMap<Plain>) {
      Json object = Json::object();
      for (auto& [key, entry] : value) object[json(place, key).template get<std::string>()] = json(place, entry);
      return object;
    } else if constexpr (JsonList<Plain>) {
      Json list = Json::array();
      for (auto& entry : value) list.push_back(json(place, entry));
      return list;
    } else {
      return described(place, value);
    }
  }
  // A describe() that reads takes its value for change, and so gets a copy of one that is const.
  template <class T>
  static Json described(const std::string& place, T& value) {
    JsonWriter writer(place);
    if constexpr (requires { describe(writer, value); }) {
      describe(writer, value);
    } else {
      std::remove_const_t<T> copy = value;
      describe(writer, copy);
    }
    return std::move(writer.object_);
  }

  std::string place_;
  Json object_ = Json::object();
};

}  // namespace mlsim
