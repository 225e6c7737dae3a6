#include "workloads/model/shared_parameters.hpp"

#include <fmt/format.h>

#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

bool is_tied_output(const Layer& layer, const Layer& from) {
  return layer.kind == LayerKind::dense && from.kind == LayerKind::embedding;
}

void check_fit(const Layer& layer, const Layer& from, const Document& place) {
  if (is_tied_output(layer, from)) {
    if (from.rows.front() != layer.output.channels || from.output.channels != layer.input.channels) {
      throw place.error(fmt::format("{} has a weight of {} x {} but the table of {} has {} rows of {}", layer.name,
                                    layer.output.channels, layer.input.channels, from.name, from.rows.front(),
                                    from.output.channels));
    }
    return;
  }
  if (layer.kind != from.kind) {
    throw place.error(fmt::format("{} is a {} and cannot share the parameters of {}, a {}", layer.name,
                                  operator_of(layer.kind).name, from.name, operator_of(from.kind).name));
  }
  if (layer.parameter_tensors() != from.parameter_tensors()) {
    throw place.error(fmt::format("{} has {} parameters and cannot share those of {}, {} in other tensors", layer.name,
                                  layer.parameters(), from.name, from.parameters()));
  }
}

}  // namespace

void share_parameters(Layer& layer, const Model& model, int owner, const Document& place) {
  const Layer& from = model.layers[owner];
  if (from.shares >= 0) {
    throw place.error(fmt::format("{} has no parameters of its own; name {}, whose it shares", from.name,
                                  model.layers[from.shares].name));
  }
  check_fit(layer, from, place);
  if (layer.trainable != from.trainable) {
    throw place.error(fmt::format("of {} and {}, which share parameters, only one is frozen", layer.name, from.name));
  }
  layer.shares = owner;
  layer.owns_bias = layer.bias && is_tied_output(layer, from);
}

}  // namespace mlsim::workloads
