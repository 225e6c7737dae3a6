#include "studies/sweep/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>

#include "core/files/transient_file.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "studies/sweep/store.hpp"

namespace mlsim::studies {
namespace {

struct ArrayIndex {
  std::string variable, value;
  int first = 0;  // of the array's indices
};

// Slurm says from where an array counts; many count from 1.
int first_of_slurm() {
  const char* const first = std::getenv("SLURM_ARRAY_TASK_MIN");
  try {
    return first == nullptr ? 0 : parse_count(first, 0);
  } catch (const InputError& e) {
    throw InputError(std::string("SLURM_ARRAY_TASK_MIN: ") + e.reason());
  }
}

ArrayIndex array_index() {
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX"})
    if (const char* value = std::getenv(variable))
      return {variable, value, std::string_view(variable).starts_with("SLURM") ? first_of_slurm() : 0};
  throw InputError(
      "no scheduler's array is around: none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX and PBS_ARRAY_INDEX is set; "
      "a shard is named as INDEX/COUNT, 0/4");
}

// Says which shards of the stores' sweep are not among them; empty where they were cut in different ways.
std::string absent_shards(const std::vector<Shard>& given) {
  std::string absent;
  for (std::size_t index = 0; index < given.front().count; ++index) {
    const auto is = [&](const Shard& shard) { return shard == Shard{index, given.front().count}; };
    if (std::any_of(given.begin(), given.end(), [&](const Shard& each) { return each.count != given.front().count; }))
      return {};
    if (std::none_of(given.begin(), given.end(), is))
      absent += fmt::format("{}{}", absent.empty() ? "" : ", ", to_text({index, given.front().count}));
  }
  return absent;
}

// The best point may be one that no shard has answered.
void check_whole(Store& store, const std::vector<SweepAxis>& axes, const std::vector<Shard>& given) {
  const std::size_t points = points_of(axes);
  const std::size_t there = store.rows();
  if (there == points) return;
  const std::string absent = absent_shards(given);
  throw Infeasible(fmt::format("{} of {} points are missing: {}", points - there, points,
                               absent.empty() ? "a shard that was interrupted goes on with the same command"
                                              : fmt::format("of shard {}", absent)));
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos)
    throw InputError(fmt::format("\"{}\" is not of the form INDEX/COUNT, 0/4, or /4", text.substr(0, 80)));
  const int count = parse_count(text.substr(slash + 1));
  ArrayIndex given{"", text.substr(0, slash), 0};
  if (given.value.empty()) given = array_index();
  const std::string from = given.variable.empty() ? "" : given.variable + ": ";
  int index = 0;
  try {
    index = parse_count(given.value, 0) - given.first;
  } catch (const InputError& e) {
    throw InputError(from + e.reason());
  }
  if (index < 0 || index >= count)
    throw InputError(fmt::format("{}there is no shard {} of {}: they are numbered from 0 to {}{}", from, index, count,
                                 count - 1, from.empty() ? "" : "; an array of Slurm may count from elsewhere"));
  return {static_cast<std::size_t>(index), static_cast<std::size_t>(count)};
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

void merge(const std::vector<std::string>& shards, const std::string& path) {
  std::optional<SweepIdentity> whole;
  std::vector<Shard> given;
  for (const std::string& shard : shards) {
    if (std::error_code none; std::filesystem::equivalent(shard, path, none))
      throw InputError(path, "is one of the shards; name another --output");
    SweepIdentity identity = store_contents(shard).identity;
    given.push_back(identity.shard);
    identity.shard = {};
    if (!whole) whole = identity;
    if (const std::string other = difference(*whole, identity); !other.empty())
      throw InputError(shard, fmt::format("is of another sweep than {}: {}", shards.front(), other));
  }
  std::deque<TransientFile> unfinished;
  if (!std::filesystem::exists(path))
    for (const char* ending : {"", "-journal"}) unfinished.emplace_back(path + ending);
  {
    Store store(path, *whole);
    for (const std::string& shard : shards) {
      for_each_row(shard, [&](const SweepRow& row) {
        const auto known = store.row(row.point);
        if (known && known->status != RowStatus::failed && row.status != RowStatus::failed && !(*known == row))
          throw InputError(shard, fmt::format("says otherwise of point {} than a shard before it", row.point));
        if (!known || known->status == RowStatus::failed) store.add(row);
      });
    }
    check_whole(store, whole->axes, given);
    store.finish();
  }
  for (TransientFile& file : unfinished) file.let_go();
}

}  // namespace mlsim::studies
