#include "studies/sweep/shard.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::studies {
namespace {

struct ArrayIndex {
  std::string variable, value;
};

ArrayIndex array_index() {
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX"})
    if (const char* value = std::getenv(variable)) return {variable, value};
  throw InputError(
      "no scheduler's array is around: none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX and PBS_ARRAY_INDEX is set; "
      "a shard is named as INDEX/COUNT, 0/4");
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos)
    throw InputError(fmt::format("\"{}\" is not of the form INDEX/COUNT, 0/4, or /4", text.substr(0, 80)));
  const int count = parse_count(text.substr(slash + 1));
  ArrayIndex given{"", text.substr(0, slash)};
  if (given.value.empty()) given = array_index();
  const std::string from = given.variable.empty() ? "" : given.variable + ": ";
  int index = 0;
  try {
    index = parse_count(given.value, 0);
  } catch (const InputError& e) {
    throw InputError(from + e.reason());
  }
  if (index >= count)
    throw InputError(
        fmt::format("{}there is no shard {} of {}: they are numbered from 0 to {}", from, index, count, count - 1));
  return {static_cast<std::size_t>(index), static_cast<std::size_t>(count)};
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

}  // namespace mlsim::studies
