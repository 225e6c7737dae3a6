#include "replay/execution/parameter_memory.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "workloads/lowering/optimizer.hpp"

namespace mlsim::replay {
namespace {

using namespace workloads;

void put(calibrate::Exchange& exchange, const float* from, std::size_t count) {
  exchange.load(std::as_bytes(std::span(from, count)));
}

// Copies at most `count` elements and returns how many.
std::size_t get(calibrate::Exchange& exchange, float* to, std::size_t count) {
  const std::vector<std::byte> bytes = exchange.received();
  count = std::min(count, bytes.size() / sizeof(float));
  std::memcpy(to, bytes.data(), count * sizeof(float));
  return count;
}

}  // namespace

ParameterMemory::ParameterMemory(const ReplayPlan& plan, int rank, int ranks, int threads)
    : rank_(rank),
      ranks_(ranks),
      threads_(threads),
      in_parts_(ranks > 1 && plan.step.shards(workloads::StateSharding::optimizer)),
      serves_(plan.step.parameter_servers),
      rule_(update_cost(plan.step.optimizer, true).update.rule) {
  place_buckets(plan);
  number_exchanges(plan.graph);
}

void ParameterMemory::place_buckets(const ReplayPlan& plan) {
  std::map<std::string, std::size_t> sizes;
  for (const Layer& layer : plan.model.layers) {
    const auto tensors = layer.parameter_tensors();
    for (std::size_t t = 0; t < tensors.size(); ++t)
      sizes[layer.name + (t == 0 ? ".weight" : ".bias")] = static_cast<std::size_t>(tensors[t]);
  }
  const auto parts = static_cast<std::size_t>(ranks_);
  std::size_t end = 0, parts_end = 0;
  for (const GradientBucket& each : plan.buckets) {
    Bucket bucket;
    bucket.begin = end;
    bucket.parameters = static_cast<std::size_t>(each.parameters);
    bucket.size = (bucket.parameters + parts - 1) / parts * parts;
    bucket.part_begin = parts_end;
    bucket.part_size = bucket.size / parts;
    std::size_t place = end;
    for (const std::string& tensor : each.tensors) {
      places_[tensor] = place;
      place += sizes.at(tensor);
    }
    end += bucket.size;
    parts_end += bucket.part_size;
    buckets_.push_back(bucket);
  }
  weights_.assign(end, 0.0f);
  gradients_.assign(end, 0.0f);
  const std::size_t updated = in_parts_ || serves_ ? parts_end : end;
  updated_ = std::make_unique<kernels::Tensors>(static_cast<std::int64_t>(updated), 1, 1);
  std::fill(updated_->first.begin(), updated_->first.end(), 0.0f);
  std::fill(updated_->second.begin(), updated_->second.end(), 0.0f);
}

// Buckets are exchanged in their order.
void ParameterMemory::number_exchanges(const StepGraph& graph) {
  std::map<CollectiveKind, std::size_t> count;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    nodes_.push_back(&graph[vertex]);
    if (is_exchange(graph[vertex])) bucket_of_[vertex] = count[graph[vertex].collective]++;
  }
}

void ParameterMemory::begin() {
  if (!in_parts_ && !serves_) return;
  for (const Bucket& bucket : buckets_)
    std::copy_n(own_part(bucket), bucket.part_size, updated_->weights.data() + bucket.part_begin);
}

void ParameterMemory::bring(StepVertex vertex, calibrate::Exchange& exchange) {
  const Bucket& bucket = buckets_[bucket_of_.at(vertex)];
  switch (nodes_[vertex]->collective) {
    case CollectiveKind::parameter_pull:  // of one bucket: its part is the server's
      return put(exchange, updated_->weights.data(), bucket.part_size);
    case CollectiveKind::all_gather: return put(exchange, own_part(bucket), bucket.part_size);
    case CollectiveKind::all_reduce: return put(exchange, &gradients_[bucket.begin], bucket.parameters);
    default: return put(exchange, &gradients_[bucket.begin], bucket.size);
  }
}

void ParameterMemory::take(StepVertex vertex, calibrate::Exchange& exchange) {
  const Bucket& bucket = buckets_[bucket_of_.at(vertex)];
  switch (nodes_[vertex]->collective) {
    case CollectiveKind::parameter_pull:
    case CollectiveKind::all_gather: get(exchange, &weights_[bucket.begin], bucket.size); return;
    case CollectiveKind::all_reduce: get(exchange, &gradients_[bucket.begin], bucket.size); return;
    default: get(exchange, updated_->gradients.data() + bucket.part_begin, bucket.part_size);
  }
  if (!serves_ || ++pushed_ < buckets_.size()) return;
  pushed_ = 0;
  update();
}

void ParameterMemory::update() {
  const auto scale = 1.0f / static_cast<float>(ranks_);
  if (!in_parts_ && !serves_) {
    std::copy(weights_.begin(), weights_.end(), updated_->weights.data());
    std::copy(gradients_.begin(), gradients_.end(), updated_->gradients.data());
  }
  for (float& gradient : updated_->gradients) gradient *= scale;
  kernels::update_fused(rule_, *updated_, threads_);
  if (serves_) return;
  if (!in_parts_) {
    std::copy(updated_->weights.begin(), updated_->weights.end(), weights_.begin());
    return;
  }
  for (const Bucket& bucket : buckets_)
    std::copy_n(updated_->weights.data() + bucket.part_begin, bucket.part_size, own_part(bucket));
}

}  // namespace mlsim::replay
