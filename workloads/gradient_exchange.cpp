#include "workloads/gradient_exchange.hpp"

#include <fmt/format.h>

#include "workloads/kernel_group.hpp"

namespace mlsim {

GradientExchange::GradientExchange(const Model& model, const StepPlan& plan, StepBuilder& builder)
    : model_(model),
      plan_(plan),
      builder_(builder),
      buckets_(gradient_buckets(model, plan)),
      sparse_(sparse_gradients(model, plan)),
      sparse_of_layer_(model.layers.size(), -1),
      missing_parts_(model.layers.size()),
      buckets_of_(model.layers.size()),
      made_by_(model.layers.size()),
      sparse_exchanges_(sparse_.size()) {
  for (std::size_t s = 0; s < sparse_.size(); ++s) sparse_of_layer_[index(sparse_[s].layer)] = static_cast<int>(s);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    if (!has_weight_gradient(layer)) continue;
    if (layer.parameters() > 0) ++missing_parts_[i];
    if (layer.shares >= 0) ++missing_parts_[index(layer.shares)];
  }
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    missing_layers_.push_back(static_cast<int>(buckets_[b].layers.size()));
    for (const int owner : buckets_[b].layers) buckets_of_[index(owner)].push_back(static_cast<int>(b));
  }
}

void GradientExchange::add(int layer, const Vertices& vertices) {
  const auto part = [&](std::size_t owner) {
    made_by_[owner].insert(made_by_[owner].end(), vertices.begin(), vertices.end());
    if (--missing_parts_[owner] > 0) return;
    for (const int bucket : buckets_of_[owner]) --missing_layers_[index(bucket)];
    if (exchanged() && plan_.overlap && sparse_of_layer_[owner] >= 0) add_sparse(index(sparse_of_layer_[owner]));
  };
  const Layer& each = model_.layers[index(layer)];
  if (each.parameters() > 0) part(index(layer));
  if (each.shares >= 0) part(index(each.shares));
  if (exchanged() && plan_.overlap) add_ready_buckets(false);
}

void GradientExchange::finish() {
  if (!exchanged()) return;
  add_ready_buckets(true);
  for (std::size_t s = 0; s < sparse_.size(); ++s) {
    if (sparse_exchanges_[s].empty()) add_sparse(s);
  }
}

void GradientExchange::add_ready_buckets(bool all) {
  const auto kind = plan_.sharded_update ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  while (exchanges_.size() < buckets_.size() && (all || missing_layers_[exchanges_.size()] == 0)) {
    const auto& bucket = buckets_[exchanges_.size()];
    Vertices after;
    for (const int owner : bucket.layers)
      after.insert(after.end(), made_by_[index(owner)].begin(), made_by_[index(owner)].end());
    if (!plan_.overlap) after.push_back(builder_.last_backward());
    exchanges_.push_back(
        builder_.add_collective(kind, fmt::format("gradients {}", exchanges_.size()), bucket.bytes, after));
  }
}

void GradientExchange::add_sparse(std::size_t gradient) {
  const int layer = sparse_[gradient].layer;
  Vertices after = made_by_[index(layer)];
  if (!plan_.overlap) after.push_back(builder_.last_backward());
  sparse_exchanges_[gradient] = {builder_.add_collective(CollectiveKind::all_gather,
                                                         fmt::format("rows of {}", model_.layers[index(layer)].name),
                                                         sparse_[gradient].payload, after)};
}

Vertices GradientExchange::dense_ready() const {
  if (exchanged()) return exchanges_;
  Vertices ready;
  for (const auto& bucket : buckets_) {
    for (const int owner : bucket.layers)
      ready.insert(ready.end(), made_by_[index(owner)].begin(), made_by_[index(owner)].end());
  }
  return ready;
}

Vertices GradientExchange::sparse_ready(std::size_t gradient) const {
  return exchanged() ? sparse_exchanges_[gradient] : made_by_[index(sparse_[gradient].layer)];
}

}  // namespace mlsim
