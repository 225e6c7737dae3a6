#include "schemas/json_schema.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#ifdef MLSIM_VALIJSON
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#endif

namespace mlsim::test {
namespace {

using nlohmann::json;

using std::filesystem::path;

json resolved(const path& file);

// Puts definitions ("#/definitions/x") and other files in the place of what refers to them.
json resolved(json schema, const json& definitions, const path& folder) {
  if (schema.is_object() && schema.contains("$ref")) {
    const std::string ref = schema["$ref"];
    return ref.starts_with('#')
               ? resolved(definitions.at(ref.substr(sizeof("#/definitions/") - 1)), definitions, folder)
               : resolved(folder / ref);
  }
  if (schema.is_structured())
    for (auto& value : schema) value = resolved(value, definitions, folder);
  return schema;
}

json resolved(const path& file) {
  std::ifstream stream(MLSIM_SOURCE_DIR / file);
  json schema = json::parse(stream);
  const json definitions = schema.value("definitions", json::object());
  schema.erase("definitions");
  return resolved(schema, definitions, file.parent_path());
}

json explained_less(json schema) {
  if (!schema.is_structured()) return schema;
  if (schema.is_object() && (schema.contains("type") || schema.contains("const")))
    for (const char* key : {"$schema", "title", "description"})
      if (schema.contains(key) && schema[key].is_string()) schema.erase(key);
  if (schema.is_object() && schema.contains("const") && schema["const"].is_boolean()) return {{"type", "boolean"}};
  for (auto& value : schema) value = explained_less(value);
  return schema;
}

}  // namespace

std::string schema_difference(const std::string& schema, const std::string& generated) {
  return json::diff(explained_less(resolved(schema)), json::parse(generated)).dump();
}

#ifdef MLSIM_VALIJSON
std::optional<std::string> schema_errors(const std::string& schema, const std::string& text) {
  const json whole = resolved(schema), document = json::parse(text);
  valijson::Schema parsed;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(whole), parsed);
  valijson::ValidationResults results;
  std::string errors;
  if (!valijson::Validator().validate(parsed, valijson::adapters::NlohmannJsonAdapter(document), &results)) {
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      for (const auto& step : error.context) errors += step;
      errors += ": " + error.description + "\n";
    }
  }
  return errors;
}
#else
std::optional<std::string> schema_errors(const std::string&, const std::string&) { return std::nullopt; }
#endif

}  // namespace mlsim::test
