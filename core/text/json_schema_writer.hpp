// A `JsonSchemaWriter` takes a describe() in the third way: as the JSON schema of what it writes. Only .cpp files
// include it.
#pragma once

#include <tuple>

#include "core/text/json_schema.hpp"
#include "core/text/json_writer.hpp"

namespace mlsim {

class JsonSchemaWriter {
 public:
  template <class T, class... Rule>
  void field(const char* key, const T&, Rule... rule) {
    properties_[key] = schema_of<T>(rule...);
    required_.push_back(key);
  }
  template <JsonOptional T, class... Rule>
  void field_if_any(const char* key, const T&, Rule... rule) {
    properties_[key] = schema_of<typename T::value_type>(rule...);
  }
  template <class T, class Print, class Parse>
  void word(const char* key, const T&, Print, Parse) {
    field(key, std::string());
  }
  template <Worded E>
  void word(const char* key, const E& value) {
    field(key, value);
  }
  template <JsonList Pairs>
  void other_fields(const Pairs&) {
    others_ = schema_of<std::string>();
  }

  template <class T>
  static std::string text() {
    return schema_of<T>().dump();
  }

 private:
  using Json = nlohmann::ordered_json;

  static Json number(const char* type, NumberRange range = {}) {
    if (range.lowest == range.highest) return {{"const", range.lowest}};
    Json json{{"type", type}};
    if (range.lowest == kPositive.lowest)
      json["exclusiveMinimum"] = 0;
    else if (range.lowest != NumberRange{}.lowest)
      json["minimum"] = range.lowest;
    if (range.highest != NumberRange{}.highest) json["maximum"] = range.highest;
    return json;
  }
  static Json text_of(const OneOf& known) { return {{"type", "string"}, {"enum", known.words}}; }
  static Json text_of() { return {{"type", "string"}}; }

  template <class T, class... Rule>
  static Json schema_of(Rule... rule) {
    if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_same_v<T, double> || JsonQuantity<T>) {
      return number("number", rule...);
    } else if constexpr (std::is_unsigned_v<T>) {
      return number("integer", kNotNegative);
    } else if constexpr (std::is_integral_v<T>) {
      return number("integer", rule...);
    } else if constexpr (JsonText<T>) {
      return text_of(rule...);
    } else if constexpr (Worded<T>) {
      return {{"type", "string"}, {"enum", names<T>()}};
    } else if constexpr (JsonOptional<T>) {
      Json json = schema_of<typename T::value_type>(rule...);
      json["type"] = Json::array({json["type"], "null"});
      if (json.contains("enum")) json["enum"].push_back(nullptr);
      return json;
    } else if constexpr (JsonMap<T>) {
      return {{"type", "object"}, {"additionalProperties", schema_of<typename T::mapped_type>()}};
    } else if constexpr (JsonList<T>) {
      return list_of<T>(rule...);
    } else {
      return described<T>();
    }
  }
  template <class T, class... Rule>
  static Json list_of(Rule... rule) {
    Json json{{"type", "array"}, {"items", schema_of<typename T::value_type>(rule...)}};
    if constexpr (requires { std::tuple_size<T>::value; }) json["minItems"] = json["maxItems"] = std::tuple_size_v<T>;
    return json;
  }
  template <class T>
  static Json described() {
    T value{};
    JsonSchemaWriter writer;
    describe(writer, value);
    return {{"type", "object"},
            {"properties", writer.properties_},
            {"required", writer.required_},
            {"additionalProperties", writer.others_}};
  }

  Json properties_ = Json::object(), required_ = Json::array(), others_ = false;
};

template <class Value>
std::string json_schema() {
  return JsonSchemaWriter::text<Value>();
}

}  // namespace mlsim
