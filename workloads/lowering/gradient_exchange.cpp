#include "workloads/lowering/gradient_exchange.hpp"

#include <fmt/format.h>

#include <set>

#include "workloads/lowering/kernel_group.hpp"

namespace mlsim::workloads {

GradientExchange::GradientExchange(const ShardedModel& sharded, const StepPlan& plan, StepBuilder& builder)
    : model_(sharded.model),
      plan_(plan),
      builder_(builder),
      buckets_(gradient_buckets(sharded, plan)),
      sparse_(sparse_gradients(sharded, plan)),
      sparse_of_layer_(sharded.model.layers.size(), -1),
      missing_parts_(sharded.model.layers.size()),
      buckets_of_(sharded.model.layers.size()),
      made_by_(sharded.model.layers.size()),
      exchanges_(buckets_.size()),
      sparse_exchanges_(sparse_.size()) {
  for (std::size_t s = 0; s < sparse_.size(); ++s) sparse_of_layer_[sparse_[s].layer] = static_cast<int>(s);
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    const Layer& layer = model_.layers[i];
    if (!has_weight_gradient(layer)) continue;
    if (layer.parameters() > 0) ++missing_parts_[i];
    if (layer.shares >= 0) ++missing_parts_[layer.shares];
  }
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    missing_layers_.push_back(static_cast<int>(buckets_[b].layers.size()));
    for (const int owner : buckets_[b].layers) buckets_of_[owner].push_back(static_cast<int>(b));
  }
}

void GradientExchange::add(int layer, const Vertices& vertices) {
  const auto part = [&](std::size_t owner) {
    made_by_[owner].insert(made_by_[owner].end(), vertices.begin(), vertices.end());
    if (--missing_parts_[owner] > 0) return;
    for (const int bucket : buckets_of_[owner]) --missing_layers_[bucket];
    if (plan_.overlap && sparse_of_layer_[owner] >= 0) add_sparse(sparse_of_layer_[owner]);
  };
  const Layer& each = model_.layers[layer];
  if (each.parameters() > 0) part(layer);
  if (each.shares >= 0) part(each.shares);
  if (plan_.overlap) add_ready_buckets(false);
}

void GradientExchange::finish() {
  add_ready_buckets(true);
  for (std::size_t s = 0; s < sparse_.size(); ++s) {
    if (sparse_exchanges_[s].empty()) add_sparse(s);
  }
}

// Buckets of the same ranks are exchanged in their order.
void GradientExchange::add_ready_buckets(bool all) {
  std::set<AxisSet> blocked;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    if (!exchanges_[b].empty() || !is_exchanged(buckets_[b]) || blocked.contains(buckets_[b].axes)) continue;
    all || is_complete(b) ? add_bucket(b) : static_cast<void>(blocked.insert(buckets_[b].axes));
  }
}

bool GradientExchange::is_complete(std::size_t b) const {
  if (!plan_.cycles) return missing_layers_[b] == 0;
  const auto& cycle = plan_.cycles->cycle_of_bucket;
  for (std::size_t other = 0; other < buckets_.size(); ++other) {
    if (cycle[other] == cycle[b] && missing_layers_[other] > 0) return false;
  }
  return true;
}

Vertices GradientExchange::makers_of(std::size_t b) const {
  Vertices makers;
  for (const int owner : buckets_[b].layers)
    makers.insert(makers.end(), made_by_[owner].begin(), made_by_[owner].end());
  return makers;
}

void GradientExchange::add_bucket(std::size_t b) {
  if (plan_.cycles) return add_fused_bucket(b);
  const auto& bucket = buckets_[b];
  const auto kind = plan_.parameter_servers                  ? CollectiveKind::parameter_push
                    : plan_.shards(StateSharding::optimizer) ? CollectiveKind::reduce_scatter
                                                             : CollectiveKind::all_reduce;
  Vertices after = makers_of(b);
  if (!plan_.overlap) after.push_back(builder_.last_backward());
  const bool copies = !plan_.pipelined_summation && !plan_.parameter_servers;
  if (copies) after = builder_.add_copies(fmt::format("gather of gradients {}", b), bucket.bytes, tensors(b), after);
  const auto what = fmt::format("gradients {}", b);
  if (kind == CollectiveKind::reduce_scatter) return void(exchanges_[b] = add_reduce_scatter(what, bucket, after));
  exchanges_[b] = {builder_.add_collective(kind, what, bucket.axes, bucket.bytes, after)};
  if (copies)
    exchanges_[b] =
        builder_.add_copies(fmt::format("scatter of gradients {}", b), bucket.bytes, tensors(b), exchanges_[b]);
}

// Replicas of the shards add up theirs behind it (HSDP, Zhao et al., arXiv:2304.11277, section 3.2.2).
Vertices GradientExchange::add_reduce_scatter(const std::string& what, const GradientBucket& bucket, Vertices after) {
  const AxisSet shards = plan_.shard_axes(bucket.axes), replicas = plan_.parallelism.used(Axis::replica);
  if (!shards.empty())
    after = {builder_.add_collective(CollectiveKind::reduce_scatter, what, shards, bucket.bytes, after)};
  if (!bucket.axes.has(Axis::replica)) return after;
  const Bytes part = bucket.bytes / plan_.parallelism.size_of(shards);
  return {builder_.add_collective(CollectiveKind::all_reduce, what + " of replicas", replicas, part, after)};
}

int GradientExchange::tensors(std::size_t b) const { return static_cast<int>(buckets_[b].tensors.size()); }

void GradientExchange::add_fused_bucket(std::size_t b) {
  const auto& bucket = buckets_[b];
  const auto cycle = static_cast<std::size_t>(plan_.cycles->cycle_of_bucket[b]);
  if (waits_.size() <= cycle) {
    Vertices found;
    for (std::size_t other = b;
         other < buckets_.size() && static_cast<std::size_t>(plan_.cycles->cycle_of_bucket[other]) == cycle; ++other) {
      const Vertices makers = makers_of(other);
      found.insert(found.end(), makers.begin(), makers.end());
    }
    const Seconds wait = plan_.cycles->wait_of_cycle[cycle];
    waits_.push_back(builder_.add_wait(fmt::format("Horovod cycle {}", cycle), wait, found));
  }
  Vertices after{waits_[cycle]};
  const bool fused = bucket.tensors.size() > 1;
  if (fused) after = {builder_.add_copy(fmt::format("into fusion buffer {}", b), bucket.bytes, after)};
  after = {builder_.add_collective(CollectiveKind::all_reduce, fmt::format("gradients {}", b), bucket.axes,
                                   bucket.bytes, after)};
  if (fused) after = {builder_.add_copy(fmt::format("out of fusion buffer {}", b), bucket.bytes, after)};
  exchanges_[b] = after;
}

void GradientExchange::add_sparse(std::size_t gradient) {
  const auto& [layer, rows, updated, width, payload, axes] = sparse_[gradient];
  if (axes.empty()) return;
  Vertices after = made_by_[layer];
  if (!plan_.overlap) after.push_back(builder_.last_backward());
  const auto what = fmt::format("rows of {}", model_.layers[layer].name);
  sparse_exchanges_[gradient] = {builder_.add_collective(CollectiveKind::all_gather, what, axes, payload, after)};
}

Vertices GradientExchange::dense_ready() const {
  Vertices ready;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const Vertices each = exchanges_[b].empty() ? makers_of(b) : exchanges_[b];
    ready.insert(ready.end(), each.begin(), each.end());
  }
  return ready;
}

Vertices GradientExchange::sparse_ready(std::size_t gradient) const {
  return sparse_exchanges_[gradient].empty() ? made_by_[sparse_[gradient].layer] : sparse_exchanges_[gradient];
}

}  // namespace mlsim::workloads
