#include "studies/sweep/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>

#include "core/files/transient_file.hpp"
#include "core/text/errors.hpp"
#include "studies/sweep/store.hpp"

namespace mlsim::studies {
namespace {

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
