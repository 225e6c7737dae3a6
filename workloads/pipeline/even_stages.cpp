#include "workloads/pipeline/even_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

// Returns the first layer of each repetition.
std::vector<int> repetition_starts(const Model& model) {
  std::vector<int> starts;
  if (model.family != ModelFamily::transformer) return starts;
  const auto repetition = repetition_of_layer(model);
  for (std::size_t i = 0; i < repetition.size(); ++i)
    if (repetition[i] >= 0 && (i == 0 || repetition[i] != repetition[i - 1])) starts.push_back(static_cast<int>(i));
  return starts;
}

// Shares `count` out over `parts`, the odd ones in the middle.
std::vector<int> shares(int count, int parts) {
  std::vector<int> all(parts, count / parts);
  const int odd = count % parts, begin = (parts - odd + 1) / 2;
  for (int i = 0; i < odd; ++i) ++all[std::min(begin + i, parts - 1)];
  return all;
}

int nearest_multiple(int count, int unit) {
  const int below = count / unit * unit;
  return count - below < below + unit - count && below > 0 ? below : below + unit;
}

// Returns the repetitions of each part, in the order of the model.
std::vector<int> counts(const EvenStages& even, int repetitions) {
  const int parts = even.stages * even.chunks;
  if (!even.first && !even.last) return shares(repetitions, parts);
  const int told = even.first.value_or(0) + even.last.value_or(0);
  const int others = even.stages - (even.first ? 1 : 0) - (even.last ? 1 : 0);
  const int rest = repetitions - told, unit = std::max(others, 1) * even.chunks;
  const auto uneven = [&](const std::optional<int>& own) { return own && *own % even.chunks != 0; };
  if (uneven(even.first) || uneven(even.last))
    throw Infeasible(fmt::format("{} chunks a stage do not divide the {} layers of {}; {} does", even.chunks,
                                 uneven(even.first) ? *even.first : *even.last,
                                 uneven(even.first) ? "the first stage" : "the last stage",
                                 nearest_multiple(uneven(even.first) ? *even.first : *even.last, even.chunks)));
  if (rest < 0 || rest % unit != 0 || (others > 0 && rest == 0) || (others == 0 && rest != 0))
    throw Infeasible(
        fmt::format("{} layers without {} on the first and last stage leave {} for {} others{}; {} there "
                    "do",
                    repetitions, told, rest, others, even.chunks > 1 ? fmt::format(" of {} chunks", even.chunks) : "",
                    others == 0 ? repetitions : repetitions - std::max(unit, nearest_multiple(rest, unit))));
  std::vector<int> all(parts, rest / unit);
  const PipelineShape shape{even.schedule, even.stages, even.chunks, 1};
  for (int chunk = 0; chunk < even.chunks; ++chunk) {
    if (even.first) all[shape.place(0, chunk)] = *even.first / even.chunks;
    if (even.last) all[shape.place(even.stages - 1, chunk)] = *even.last / even.chunks;
  }
  return all;
}

}  // namespace

bool repeats_block(const Model& model, int parts) { return static_cast<int>(repetition_starts(model).size()) >= parts; }

std::vector<int> even_stages(const Model& model, const EvenStages& even) {
  const auto starts = repetition_starts(model);
  const int parts = even.stages * even.chunks;
  if (static_cast<int>(starts.size()) < parts)
    throw Infeasible(
        fmt::format("{} repeats its blocks {} times, which makes no {} parts; stages=balanced cuts between its kernels",
                    model.name, starts.size(), parts));
  std::vector<int> first;
  int done = 0;
  for (const int count : counts(even, static_cast<int>(starts.size()))) {
    first.push_back(done == 0 ? 0 : starts[done]);
    done += count;
  }
  return first;
}

}  // namespace mlsim::workloads
