#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/replay/trace_json.hpp"

namespace mlsim::reports {
namespace {

nlohmann::ordered_json collective_json(const RecordedCollective& what) {
  nlohmann::ordered_json json{{"kind", name(what.kind)}};
  if (what.payload) json["payload_bytes"] = what.payload->value;
  if (what.group_size > 0) json["ranks"] = what.group_size;
  if (!what.group.empty()) json["group"] = what.group;
  return json;
}

nlohmann::ordered_json span_json(const RecordedRank& rank, const RecordedSpan& span) {
  const Seconds origin = rank.trace.steps[rank.typical_step].begin;
  nlohmann::ordered_json json{{"kind", name(span.kind)},
                              {"stream", span.stream},
                              {"name", rank.trace.names[span.name]},
                              {"begin_s", (span.begin - origin).value},
                              {"duration_s", span.duration.value}};
  if (span.launch) json["launch_s"] = (*span.launch - origin).value;
  if (span.collective) json["collective"] = collective_json(*span.collective);
  return json;
}

nlohmann::ordered_json rank_json(const RecordedRank& rank) {
  nlohmann::ordered_json json{{"file", rank.trace.file}};
  if (rank.trace.rank) json["rank"] = *rank.trace.rank;
  if (rank.trace.world_size) json["ranks"] = *rank.trace.world_size;
  if (!rank.trace.device.empty()) json["device"] = rank.trace.device;
  json["host_bound"] = host_bound(rank);
  for (std::size_t i = 0; i < rank.trace.steps.size(); ++i) {
    const StepSums& sums = rank.sums[i];
    json["steps"].push_back({{"number", rank.trace.steps[i].number},
                             {"time_s", rank.trace.steps[i].time.value},
                             {"compute_s", sums.compute.value},
                             {"collective_s", sums.collective.value},
                             {"exposed_s", sums.exposed.value},
                             {"overlapped_s", sums.overlapped.value},
                             {"copy_s", sums.copy.value},
                             {"idle_s", sums.idle.value},
                             {"kernels", sums.kernels},
                             {"collectives", sums.collectives}});
  }
  for (const CollectiveTimes& each : rank.collectives) {
    nlohmann::ordered_json times = collective_json(each.collective);
    times["count"] = each.times.size();
    times["least_s"] = each.least().value;
    times["median_s"] = each.median().value;
    json["collectives"].push_back(times);
  }
  json["timeline"] = {{"step", rank.trace.steps[rank.typical_step].number}};
  for (const RecordedSpan& span : rank.trace.spans)
    if (span.step == rank.typical_step) json["timeline"]["spans"].push_back(span_json(rank, span));
  return json;
}

}  // namespace

std::string trace_json(const RecordedRun& run) {
  nlohmann::ordered_json json{{"run", "trace"}};
  for (const RecordedRank& rank : run.ranks) json["ranks"].push_back(rank_json(rank));
  if (run.alignment) {
    json["clocks"] = {{"disagreement_s", run.alignment->disagreement.value}};
    for (const auto& each : run.alignment->collectives) {
      nlohmann::ordered_json aligned = collective_json(each.what);
      aligned["step"] = run.ranks.front().trace.steps[each.step].number;
      aligned["time_s"] = each.time.value;
      aligned["waited_s"] = each.waited.value;
      aligned["last_rank"] = each.last_rank;
      json["collectives"].push_back(aligned);
    }
  }
  return json.dump(1) + "\n";
}

}  // namespace mlsim::reports
