#include "studies/sweep/shard.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

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

}  // namespace mlsim::studies
