#include "reports/validation/trace_validation_json.hpp"

#include <nlohmann/json.hpp>

namespace mlsim::reports {
namespace {

nlohmann::ordered_json split_json(const SplitStep& step) {
  return {{"step_s", step.time.value},
          {"compute_s", step.sums.compute.value},
          {"collective_s", step.sums.collective.value},
          {"exposed_s", step.sums.exposed.value},
          {"overlapped_s", step.sums.overlapped.value},
          {"copy_s", step.sums.copy.value},
          {"idle_s", max(Seconds(0), step.time - step.sums.busy).value}};
}

nlohmann::ordered_json replay_json(const CollectiveReplay& each) {
  nlohmann::ordered_json json{{"kind", name(each.what.kind)}};
  if (each.what.payload) json["payload_bytes"] = each.what.payload->value;
  if (each.what.group_size > 0) json["ranks"] = each.what.group_size;
  json["count"] = each.count;
  json["recorded_s"] = each.least.value;
  if (!each.simulated) return json;
  json["simulated_s"] = each.simulated->time.value;
  json["error"] = each.error();
  json["by"] = each.simulated->algorithm;
  json["judged"] = each.judged;
  return json;
}

}  // namespace

std::string trace_validation_json(const TraceValidation& validation) {
  nlohmann::ordered_json json{{"validation", "trace"}, {"bound", validation.bound}};
  if (!validation.topology.empty()) json["topology"] = validation.topology;
  json["replayed_error"] = validation.own_error();
  if (!validation.topology.empty()) json["simulated_error"] = validation.simulated_error();
  json["within_bound"] = exit_status(validation) == 0;
  if (validation.by_laws) json["by_laws_s"] = validation.by_laws->value;
  if (const auto& step = validation.what_if)
    json["what_if"] = {{"text", step->text}, {"before_s", step->before.value}, {"after_s", step->after.value}};
  for (const RankReplay& rank : validation.ranks) {
    nlohmann::ordered_json each{{"rank", rank.rank},
                                {"host_bound", rank.host_bound},
                                {"waiting_s", rank.waiting.value},
                                {"unexplained_s", rank.unexplained.value},
                                {"recorded", split_json(rank.recorded)},
                                {"replayed", split_json(rank.own)}};
    if (rank.simulated) each["simulated"] = split_json(*rank.simulated);
    json["ranks"].push_back(each);
  }
  for (const CollectiveReplay& each : validation.collectives) json["collectives"].push_back(replay_json(each));
  return json.dump(1) + "\n";
}

}  // namespace mlsim::reports
