#include "interop/chakra/recorded_ranks.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "interop/chakra/file_bytes.hpp"

namespace mlsim::interop {
namespace {

// Returns 12 for "PREFIX.12.et".
std::optional<int> rank_in(const std::string& name, const std::string& stem) {
  constexpr std::string_view kEnd = ".et";
  if (!name.starts_with(stem + ".") || !name.ends_with(kEnd) || name.size() <= stem.size() + 1 + kEnd.size()) return {};
  const std::string digits = name.substr(stem.size() + 1, name.size() - stem.size() - 1 - kEnd.size());
  const bool number =
      digits.size() < 8 && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::optional(std::stoi(digits)) : std::nullopt;
}

// Returns the files by rank, PREFIX.0.et, PREFIX.1.et, ... Throws InputError where there is none, a rank is missing, or
// two files are of one rank.
std::vector<std::string> rank_files(const std::string& prefix) {
  const std::filesystem::path path(prefix);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::map<int, std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const auto rank = rank_in(entry.path().filename().string(), path.filename().string());
    if (!rank) continue;
    const std::string file = (path.parent_path() / entry.path().filename()).string();
    if (const auto [other, fresh] = files.emplace(*rank, file); !fresh)
      throw InputError(std::max(file, other->second),
                       fmt::format("is of rank {}, as {} is", *rank, std::min(file, other->second)));
  }
  if (failed) throw InputError(folder.string(), "cannot be read: " + failed.message());
  if (files.empty()) throw InputError(prefix, fmt::format("there is no {}.0.et, the file of rank 0", prefix));
  std::vector<std::string> by_rank;
  for (const auto& [rank, file] : files) {
    if (rank != static_cast<int>(by_rank.size()))
      throw InputError(prefix, fmt::format("rank {} is missing: there is {}, and no {}.{}.et", by_rank.size(),
                                           files.rbegin()->second, prefix, by_rank.size()));
    by_rank.push_back(file);
  }
  return by_rank;
}

using Places = std::unordered_map<std::uint64_t, std::size_t>;  // id -> index

std::string title(const EtNode& node) { return fmt::format("node {} (\"{}\")", node.id, node.name.substr(0, 60)); }

EtGroups load_groups(const std::string& path) {
  EtGroups groups;
  try {
    const auto json = nlohmann::json::parse(file_bytes(path));
    for (const auto& [name, ranks] : json.items()) groups[name] = ranks.get<std::vector<int>>();
  } catch (const nlohmann::json::exception&) {
    throw InputError(path, "is no map from process groups to lists of ranks, {\"1\": [0, 1]}");
  }
  return groups;
}

void check_groups(const EtGroups& groups, const std::string& path, int ranks) {
  for (const auto& [name, members] : groups) {
    auto sorted = members;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      throw InputError(path, fmt::format("group {} holds a rank twice", name));
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= ranks))
      throw InputError(path, fmt::format("group {} holds rank {}, and there are {}", name,
                                         sorted.front() < 0 ? sorted.front() : sorted.back(), ranks));
  }
}

Places places_of(const ExecutionTrace& trace, const std::string& file) {
  Places places;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const auto [other, fresh] = places.emplace(trace.nodes[i].id, i);
    if (!fresh)
      throw InputError(file, fmt::format("{} has the id of \"{}\"", title(trace.nodes[i]),
                                         trace.nodes[other->second].name.substr(0, 60)));
  }
  return places;
}

// Files of MLCommons' own converters name nodes that they left out.
std::size_t without_missing(ExecutionTrace& trace, const Places& places) {
  std::size_t missing = 0;
  for (EtNode& node : trace.nodes)
    missing += std::erase_if(node.after, [&](std::uint64_t id) { return !places.contains(id); });
  return missing;
}

void check_order(const ExecutionTrace& trace, const Places& places, const std::string& file) {
  std::vector<std::size_t> waits(trace.nodes.size());
  std::vector<std::vector<std::size_t>> next(trace.nodes.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    waits[i] = trace.nodes[i].after.size();
    for (const std::uint64_t id : trace.nodes[i].after) next[places.at(id)].push_back(i);
    if (waits[i] == 0) ready.push_back(i);
  }
  for (std::size_t done = 0; done < ready.size(); ++done)
    for (const std::size_t i : next[ready[done]])
      if (--waits[i] == 0) ready.push_back(i);
  if (ready.size() == trace.nodes.size()) return;
  const auto held = std::find_if(waits.begin(), waits.end(), [](std::size_t left) { return left > 0; });
  throw InputError(file, title(trace.nodes[static_cast<std::size_t>(held - waits.begin())]) +
                             " waits for itself: what it waits for goes round in a circle");
}

void check_collective(const EtNode& node, int rank, const EtRanks& run) {
  const std::string& file = run.files[static_cast<std::size_t>(rank)];
  switch (*node.collective) {
    case EtCollective::reduce:
    case EtCollective::gather:
    case EtCollective::scatter:
    case EtCollective::barrier:
      throw InputError(file, title(node) +
                                 " is a reduce, gather, scatter or barrier; all-reduce, all-gather, "
                                 "reduce-scatter, all-to-all and broadcast are simulated");
    default: break;
  }
  const bool known = node.group.empty() || node.group == "0" || run.groups.contains(node.group);
  if (!known)
    throw InputError(file,
                     fmt::format("{} is of group {}, whose ranks no file of groups says", title(node), node.group));
  const auto members = run.group_of(node);
  if (std::find(members.begin(), members.end(), rank) == members.end())
    throw InputError(file, fmt::format("{} is of group {}, which rank {} is not in", title(node), node.group, rank));
}

void check_node(const EtNode& node, int rank, const EtRanks& run) {
  const std::string& file = run.files[static_cast<std::size_t>(rank)];
  const auto ranks = static_cast<std::int64_t>(run.ranks.size());
  if (node.kind == EtKind::invalid) throw InputError(file, title(node) + " has no type");
  if (node.kind == EtKind::collective) check_collective(node, rank, run);
  if (node.kind != EtKind::send && node.kind != EtKind::receive) return;
  if (std::min(node.sender, node.receiver) < 0 || std::max(node.sender, node.receiver) >= ranks)
    throw InputError(file, fmt::format("{} goes from rank {} to {}, and there are {} ranks", title(node), node.sender,
                                       node.receiver, ranks));
  const bool sends = node.kind == EtKind::send;
  if ((sends ? node.sender : node.receiver) != rank)
    throw InputError(file, fmt::format("{} is a {} of rank {}, in the file of rank {}", title(node),
                                       sends ? "send" : "receive", sends ? node.sender : node.receiver, rank));
}

}  // namespace

std::vector<int> EtRanks::group_of(const EtNode& node) const {
  if (const auto known = groups.find(node.group); known != groups.end()) return known->second;
  std::vector<int> all(ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

EtRanks load_et_ranks(const std::string& prefix, const std::string& groups) {
  EtRanks run;
  run.files = rank_files(prefix);
  const auto ranks = static_cast<int>(run.files.size());
  std::string path = groups;
  if (path.empty() && std::filesystem::exists(prefix + ".groups.json")) path = prefix + ".groups.json";
  if (!path.empty()) run.groups = load_groups(path);
  check_groups(run.groups, path, ranks);
  Activity activity("reading traces", run.files.size());
  for (const std::string& file : run.files) {
    ExecutionTrace trace = load_et(file);
    std::sort(trace.nodes.begin(), trace.nodes.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    const Places places = places_of(trace, file);
    if (const std::size_t missing = without_missing(trace, places); missing > 0)
      run.warnings.push_back(
          fmt::format("{}: {} times a node waits for one that is not in the file; left out", file, missing));
    check_order(trace, places, file);
    run.ranks.push_back(std::move(trace));
    activity.advance();
  }
  for (int rank = 0; rank < ranks; ++rank)
    for (const EtNode& node : run.ranks[static_cast<std::size_t>(rank)].nodes) check_node(node, rank, run);
  return run;
}

}  // namespace mlsim::interop
