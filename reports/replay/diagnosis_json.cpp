#include "reports/replay/diagnosis_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/replay/cause_sentence.hpp"

namespace mlsim::reports {
namespace {

nlohmann::ordered_json cause_json(const Cause& cause) {
  return {{"cause", name(cause.kind)},   {"where", cause.where},
          {"seen_in", name(cause.seen)}, {"times_as_long", cause.times_as_long},
          {"noise", cause.noise},        {"likelihood", cause.likelihood},
          {"saving", cause.saving},      {"evidence", cause_sentence(cause)}};
}

nlohmann::ordered_json causes_json(const std::vector<Cause>& causes) {
  auto json = nlohmann::ordered_json::array();
  for (const Cause& cause : causes) json.push_back(cause_json(cause));
  return json;
}

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis) {
  const nlohmann::ordered_json json{{"subject", diagnosis.subject},
                                    {"found", diagnosis.found()},
                                    {"causes", causes_json(diagnosis.causes)},
                                    {"nothing", diagnosis.nothing},
                                    {"besides", causes_json(diagnosis.besides)},
                                    {"test", diagnosis.tell_apart},
                                    {"notes", diagnosis.notes}};
  return json.dump(1) + "\n";
}

}  // namespace mlsim::reports
