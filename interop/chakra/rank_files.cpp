#include "interop/chakra/rank_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "core/text/errors.hpp"

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

}  // namespace

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

}  // namespace mlsim::interop
