#include "sim/plan/asked_parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/text/errors.hpp"

namespace mlsim::sim {
namespace {

// Data ranks that take the statistics of batch normalisations together become an axis of their own.
void take_normalization_group(Parallelism& parallelism, int group, const Model& model) {
  const auto place = fmt::format("--set batch_norm_group={}", group);
  if (parallelism[Axis::normalization] > 1)
    throw InputError(place, "and --parallelism normalization say the same thing twice");
  const bool normalizes = std::any_of(model.layers.begin(), model.layers.end(),
                                      [](const Layer& layer) { return layer.kind == LayerKind::batch_normalization; });
  if (!normalizes) throw InputError(place, fmt::format("{} has no batch normalisation", model.name));
  const int data = parallelism[Axis::data];
  if (data % group != 0) {
    int below = group, above = group;
    while (below > 1 && data % below != 0) --below;
    while (above < data && data % above != 0) ++above;
    above = std::min(above, data);
    const std::string nearest = below < above ? fmt::format("{} and {}", below, above) : fmt::format("{}", above);
    throw Infeasible(
        fmt::format("groups of {} do not divide {} data-parallel ranks; groups of {} do", group, data, nearest));
  }
  parallelism[Axis::data] = data / group;
  parallelism[Axis::normalization] = group;
}

}  // namespace

ParallelismRequest asked_parallelism(const PredictRequest& request, const Model& model, int ranks) {
  ParallelismRequest asked = parse_parallelism(request.parallelism, ranks);
  if (const auto group = request.options.parallelism.batch_norm_group)
    take_normalization_group(asked.parallelism, *group, model);
  return asked;
}

}  // namespace mlsim::sim
