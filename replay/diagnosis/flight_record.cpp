#include "replay/diagnosis/flight_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/text_file.hpp"
#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {
namespace {

using Json = nlohmann::json;

// The recorder writes a group's ranks as text, "[0, 1]".
std::vector<int> ranks_in(const std::string& text) {
  std::vector<int> ranks;
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos;
       at = text.find_first_of("0123456789", at)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    ranks.push_back(std::stoi(text.substr(at, std::min<std::size_t>(end - at, 8))));
    at = end;
  }
  return ranks;
}

void add_entry(FlightRecord& record, const Json& entry) {
  if (entry.value("is_p2p", false)) return;
  const Json& group = entry.at("process_group");  // name and description
  FlightEntry read;
  read.operation = shown_text(entry.at("profiling_name").get<std::string>(), 60);
  read.created = Seconds(entry.at("time_created_ns").get<double>() * 1e-9);
  if (entry.contains("duration_ms")) read.duration = Seconds(entry.at("duration_ms").get<double>() * 1e-3);
  read.completed = entry.at("state") == "completed";
  const std::string name = group.is_array() ? group.at(0) : group;
  record.collectives.try_emplace({name, entry.at("collective_seq_id").get<std::int64_t>()}, read);
}

FlightRecord flight_record(const std::string& path) {
  const std::string text = read_text_file(path);
  FlightRecord record;
  record.file = path;
  const auto rank = rank_of_name(path);
  if (!rank) throw InputError(path, "does not say its rank, which its name has to end in (nccl_trace_rank_3)");
  record.rank = *rank;
  try {
    const Json json = Json::parse(text);
    if (json.contains("pg_config"))
      for (const auto& [name, group] : json.at("pg_config").items())
        record.groups[name] = ranks_in(group.value("ranks", ""));
    for (const Json& entry : json.at("entries")) add_entry(record, entry);
  } catch (const Json::exception& e) {
    throw InputError(path, fmt::format("is no JSON of PyTorch's flight recorder (version 2): {}",
                                       std::string(e.what()).substr(0, 100)));
  }
  return record;
}

}  // namespace

std::vector<FlightRecord> load_flight_records(const std::vector<std::string>& paths) {
  std::map<int, FlightRecord> by_rank;
  for (const std::string& path : paths) {
    FlightRecord record = flight_record(path);
    const int rank = record.rank;
    if (const auto [other, fresh] = by_rank.try_emplace(rank, std::move(record)); !fresh)
      throw InputError(path, fmt::format("is of rank {}, as {} is", rank, other->second.file));
  }
  if (by_rank.size() < 2) throw InputError(paths.front(), "is one rank's record; give those of several ranks");
  std::vector<FlightRecord> records;
  for (auto& [rank, record] : by_rank) records.push_back(std::move(record));
  return records;
}

}  // namespace mlsim::replay
