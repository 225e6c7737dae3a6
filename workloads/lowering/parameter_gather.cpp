#include "workloads/lowering/parameter_gather.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/lowering/block.hpp"

namespace mlsim::workloads {

double GatherUnit::parameters() const {
  double sum = 0;
  for (const Part& part : parts) sum += part.parameters;
  return sum;
}

namespace {

// Returns the first layers of units: layers outside of blocks that follow one another, as the last normalisation and
// the output layer, are one.
std::vector<int> unit_starts(const Model& model, bool fusion) {
  const auto is_outside = [&](int layer) { return model.layers[layer].name.find('.') == std::string::npos; };
  std::vector<int> starts;
  for (const int start : block_starts(model, fusion))
    if (starts.empty() || !is_outside(starts.back()) || !is_outside(start)) starts.push_back(start);
  return starts;
}

}  // namespace

std::vector<GatherUnit> gather_units(const ShardedModel& sharded, const StepPlan& plan) {
  const auto& layers = sharded.model.layers;
  const std::vector<int> starts = unit_starts(sharded.model, plan.fusion);
  std::vector<GatherUnit> units;
  const auto add = [&](GatherUnit& unit, int owner) {
    const Layer& layer = layers[owner];
    if (layer.parameters() == 0) return;
    const AxisSet axes = plan.shard_axes(sharded.gradient_axes[owner]);
    auto part = std::find_if(unit.parts.begin(), unit.parts.end(), [&](const auto& p) { return p.axes == axes; });
    if (part == unit.parts.end()) part = unit.parts.insert(part, {axes, 0});
    part->parameters += double(layer.parameters());
  };
  for (std::size_t u = 0; u < starts.size(); ++u) {
    const int end = u + 1 < starts.size() ? starts[u + 1] : static_cast<int>(layers.size());
    GatherUnit unit{layers[starts[u]].name, starts[u], {}};
    for (int i = starts[u]; i < end; ++i) {
      add(unit, i);
      if (const int owner = layers[i].shares; owner >= 0 && owner < starts[u]) add(unit, owner);
    }
    // What has no parameters runs with the unit before it.
    if (!unit.parts.empty() || units.empty()) units.push_back(std::move(unit));
  }
  return units;
}

double gathered_at_once(const std::vector<GatherUnit>& units, bool reshard) {
  double most = 0, all = 0;
  for (std::size_t u = 0; u < units.size(); ++u) {
    all += units[u].parameters();
    most = std::max(most, units[u].parameters() + (u + 1 < units.size() ? units[u + 1].parameters() : 0));
  }
  return reshard ? most : all;
}

ParameterGather::ParameterGather(const ShardedModel& sharded, const StepPlan& plan, StepBuilder& builder)
    : plan_(plan), builder_(builder) {
  if (!plan.gathers_in_pass()) return;
  units_ = gather_units(sharded, plan);
  gathered_.resize(units_.size());
  asked_.resize(units_.size());
  std::size_t unit = 0;
  for (int i = 0; i < static_cast<int>(sharded.model.layers.size()); ++i) {
    if (unit + 1 < units_.size() && units_[unit + 1].first == i) ++unit;
    unit_of_.push_back(unit);
  }
}

Vertices ParameterGather::before_forward(int layer, const Vertices& start) {
  return units_.empty() || kept_ ? Vertices() : enter(unit_of_[layer], StepPart::forward, 1, start);
}

Vertices ParameterGather::before_backward(int layer) {
  if (units_.empty()) return {};
  kept_ = !plan_.shards(StateSharding::parameters) && plan_.parallelism[Axis::pipeline] == 1;
  if (!plan_.reshard || !plan_.shards(StateSharding::parameters)) {  // until this pass is through
    backward_ = true;
    return {};
  }
  return enter(unit_of_[layer], StepPart::backward, -1, {});
}

Vertices ParameterGather::enter(std::size_t unit, StepPart part, int direction, const Vertices& start) {
  const bool backward = direction < 0;
  const bool first = !in_pass_ || backward != backward_;
  if (first) {
    std::fill(asked_.begin(), asked_.end(), false);
    in_pass_ = true;
    backward_ = backward;
  } else if (unit == now_) {
    return {};
  }
  now_ = unit;
  Vertices before = builder_.last_of_pass();
  if (before.empty()) before = start;
  gather(unit, part, before);
  const bool more = backward ? unit > 0 : unit + 1 < units_.size();
  if (more) gather(unit + direction, part, before);
  return gathered_[unit];
}

void ParameterGather::gather(std::size_t unit, StepPart part, const Vertices& after) {
  if (asked_[unit]) return;
  asked_[unit] = true;
  gathered_[unit].clear();
  for (const GatherUnit::Part& each : units_[unit].parts) {
    if (each.axes.empty()) continue;
    const Bytes payload = plan_.gathered_weight() * each.parameters;
    gathered_[unit].push_back(builder_.add_gather(part, "weights of " + units_[unit].name, each.axes, payload, after));
  }
}

}  // namespace mlsim::workloads
