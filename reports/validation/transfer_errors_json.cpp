#include "reports/validation/transfer_errors_json.hpp"

#include <nlohmann/json.hpp>

namespace mlsim::reports {
namespace {

nlohmann::ordered_json json_of(const TransferScore& score) {
  nlohmann::ordered_json json{{"name", score.name},
                              {"count", score.error.count},
                              {"median_abs_error", score.error.median},
                              {"p90_abs_error", score.error.p90},
                              {"max_abs_error", score.error.max},
                              {"bias", score.error.bias},
                              {"log_rms", score.log_rms}};
  if (score.error.count == 0)
    for (const char* of_rows : {"median_abs_error", "p90_abs_error", "max_abs_error", "bias", "log_rms"})
      json[of_rows] = nullptr;
  return json;
}

}  // namespace

std::string transfer_errors_json(const TransferErrors& errors) {
  nlohmann::ordered_json json;
  json["checks"] = nlohmann::ordered_json::array();
  for (const TransferCheck& c : errors.checks) {
    json["checks"].push_back({{"from", c.from},
                              {"to", c.to},
                              {"measured", c.measured_id},
                              {"asked", c.target_id},
                              {"published", c.published},
                              {"predicted", c.predicted},
                              {"relative_error", c.error()}});
  }
  json["pairs"] = nlohmann::ordered_json::array();
  for (const TransferScore& pair : errors.pairs) json["pairs"].push_back(json_of(pair));
  json["all"] = json_of(errors.all);
  json["misses"] = misses(errors);
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
