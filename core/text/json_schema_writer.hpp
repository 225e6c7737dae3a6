// A `JsonSchemaWriter` takes a describe() in the third way: as the JSON schema of what it writes. Only core's .cpp
// files include it.
#pragma once

#include "core/text/json_reader.hpp"

namespace mlsim {

class JsonSchemaWriter {
 public:
  template <class T, class... Rule>
  void field(const char* key, T& value, Rule... rule) {
    properties_[key] = schema_of(value, rule...);
    required_.push_back(key);
  }
  template <class T, class... Rule>
  void field_if_any(const char* key, std::optional<T>&, Rule... rule) {
    T value{};
    properties_[key] = schema_of(value, rule...);
  }
  template <class T, class Print, class Parse>
  void word(const char* key, T&, Print, Parse) {
    std::string text;
    field(key, text);
  }
  template <Worded E>
  void word(const char* key, E&) {
    std::string text;
    field(key, text);
    properties_[key]["enum"] = names<E>();
  }

  Json schema() const {
    return {{"type", "object"}, {"properties", properties_}, {"required", required_}, {"additionalProperties", false}};
  }

 private:
  static Json number(const char* type, NumberRange range) {
    if (range.lowest == range.highest) return {{"const", static_cast<int>(range.lowest)}};
    Json json{{"type", type}};
    if (range.lowest == kPositive.lowest)
      json["exclusiveMinimum"] = 0;
    else if (range.lowest >= 0)
      json["minimum"] = static_cast<int>(range.lowest);
    return json;
  }
  static Json schema_of(double, NumberRange range = {}) { return number("number", range); }
  static Json schema_of(int, NumberRange range = {}) { return number("integer", range); }
  static Json schema_of(std::uint64_t) { return number("integer", kNotNegative); }
  static Json schema_of(bool) { return {{"type", "boolean"}}; }
  static Json schema_of(std::string&) { return {{"type", "string"}}; }
  static Json schema_of(std::array<double, 2>&) {
    return {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
  }
  static Json schema_of(std::map<std::string, std::string>&) {
    return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  }
  template <int S, int B, int F, int D>
  static Json schema_of(Quantity<S, B, F, D>&, NumberRange range = {}) {
    return number("number", range);
  }
  template <class T, class... Rule>
  static Json schema_of(std::optional<T>&, Rule... rule) {
    T value{};
    Json json = schema_of(value, rule...);
    json["type"] = Json::array({json["type"], "null"});
    return json;
  }
  template <class T>
  static Json schema_of(std::vector<T>&) {
    T item{};
    return {{"type", "array"}, {"items", schema_of(item)}};
  }
  template <class T>
  static Json schema_of(T& value) {
    JsonSchemaWriter writer;
    describe(writer, value);
    return writer.schema();
  }

  Json properties_ = Json::object();
  std::vector<std::string> required_;
};

/// The schema of a value by its describe().
template <class Value>
Json described_schema() {
  Value value;
  JsonSchemaWriter writer;
  describe(writer, value);
  return writer.schema();
}

}  // namespace mlsim
