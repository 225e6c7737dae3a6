#include "json_schema.hpp"

#ifdef MLSIM_VALIJSON
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <fstream>

namespace mlsim::test {

std::optional<std::string> schema_errors(const std::string& schema, const std::string& json) {
  std::ifstream file(std::string(MLSIM_SOURCE_DIR) + "/" + schema);
  const auto schema_json = nlohmann::json::parse(file);
  const auto document = nlohmann::json::parse(json);
  valijson::Schema parsed;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), parsed);
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

}  // namespace mlsim::test
#else
namespace mlsim::test {
std::optional<std::string> schema_errors(const std::string&, const std::string&) { return std::nullopt; }
}  // namespace mlsim::test
#endif
