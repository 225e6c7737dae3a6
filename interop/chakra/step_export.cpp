#include "interop/chakra/step_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/step/step_order.hpp"

namespace mlsim::interop {
namespace {

// The files follow this version of the schema, as Chakra's own converters write it.
constexpr const char* kSchemaVersion = "0.0.4";

EtCollective chakra_kind(const StepNode& node) {
  switch (node.collective) {
    case CollectiveKind::all_reduce: return EtCollective::all_reduce;
    case CollectiveKind::reduce_scatter: return EtCollective::reduce_scatter;
    case CollectiveKind::all_gather: return EtCollective::all_gather;
    case CollectiveKind::broadcast: return EtCollective::broadcast;
    case CollectiveKind::all_to_all: return EtCollective::all_to_all;
    default:
      throw Infeasible(fmt::format("Chakra has no kind of collective for the {} \"{}\" of this step",
                                   name(node.collective), node.name));
  }
}

// GroupNames holds the groups of each stream and set of axes, named on first use.
class GroupNames {
 public:
  explicit GroupNames(const CostedStep& step)
      : mesh_(step.lowered().mesh ? &step.lowered().mesh->mesh : nullptr), ranks_(step.plan().cluster->ranks()) {}

  struct Group {
    std::string name;
    std::size_t size = 0;
  };
  const Group& of(int rank, const StepNode& node) {
    auto& by_rank = known_[{node.stream, mesh_ ? node.axes : AxisSet()}];
    if (by_rank.empty()) by_rank = named(node);
    return by_rank[static_cast<std::size_t>(rank)];
  }
  EtGroups take() { return std::move(groups_); }

 private:
  std::vector<Group> named(const StepNode& node) {
    std::vector<std::vector<int>> groups(1, std::vector<int>(static_cast<std::size_t>(ranks_)));
    std::iota(groups.front().begin(), groups.front().end(), 0);
    if (mesh_) groups = mesh_->groups(node.axes);
    std::vector<Group> by_rank(static_cast<std::size_t>(ranks_));
    for (std::vector<int>& group : groups) {
      Group named{{}, group.size()};
      if (group.size() < by_rank.size() || std::exchange(whole_is_named_, true)) {
        named.name = std::to_string(groups_.size() + 1);
        groups_[named.name] = group;
      }
      for (const int rank : group) by_rank[static_cast<std::size_t>(rank)] = named;
    }
    return by_rank;
  }

  const DeviceMesh* mesh_;
  int ranks_;
  std::map<std::pair<Stream, AxisSet>, std::vector<Group>> known_;
  EtGroups groups_;
  bool whole_is_named_ = false;
};

// A RoundedClock counts whole microseconds whose sum follows that of the exact lengths.
class RoundedClock {
 public:
  std::uint64_t advance(Seconds by) {
    const auto before = ticks();
    exact_ += by;
    return static_cast<std::uint64_t>(ticks() - before);
  }
  Seconds error() const { return Seconds(std::abs(exact_.value - static_cast<double>(ticks()) * 1e-6)); }

 private:
  std::int64_t ticks() const { return std::llround(exact_.value * 1e6); }
  Seconds exact_;
};

class StepExport {
 public:
  explicit StepExport(const CostedStep& step)
      : step_(step), inputs_(step.inputs(Fidelity::closed)), order_(*inputs_.graph), groups_(step) {
    std::uint64_t next = 1;
    for (std::size_t v = 0; v < order_.size(); ++v) {
      first_id_.push_back(next);
      next += static_cast<std::uint64_t>(times(order_.node(v)));
    }
    if (!step.lowered().mesh) return;
    const int ranks = step.plan().cluster->ranks();
    stages_.resize(static_cast<std::size_t>(ranks));
    for (const auto& stages : step.lowered().mesh->mesh.groups(Axis::pipeline))
      for (const int rank : stages) stages_[static_cast<std::size_t>(rank)] = stages;
  }

  EtExport all() {
    EtExport result;
    for (int rank = 0; rank < step_.plan().cluster->ranks(); ++rank)
      result.ranks.push_back(trace_of(rank, result.rounding));
    result.groups = groups_.take();
    return result;
  }

 private:
  // Exchanges are repeated one by one; the length of a kernel has its repeats in it.
  static int times(const StepNode& node) { return is_exchange(node) ? node.repeats : 1; }

  std::uint64_t last_id(std::size_t v) const {
    return first_id_[v] + static_cast<std::uint64_t>(times(order_.node(v))) - 1;
  }

  ExecutionTrace trace_of(int rank, EtRounding& rounding) {
    const int role = inputs_.roles.empty() ? 0 : inputs_.roles[static_cast<std::size_t>(rank)];
    ExecutionTrace trace{kSchemaVersion, {}};
    RoundedClock kernels, host;
    for (std::size_t v = 0; v < order_.size(); ++v) {
      const StepNode& node = order_.node(v);
      if (!takes_part(node, role)) continue;
      EtNode made = is_exchange(node) ? exchange(v, rank, role) : work(v, rank, is_compute(node) ? kernels : host);
      if (is_compute(node) && rank == 0 && made.duration_us == 0) ++rounding.empty;
      for (int i = 0; i < times(node); ++i) {
        made.id = first_id_[v] + static_cast<std::uint64_t>(i);
        if (node.kind == NodeKind::transfer) made.tag = static_cast<std::int64_t>(made.id);
        if (i > 0) made.after = {made.id - 1};
        trace.nodes.push_back(made);
      }
    }
    rounding.most = max(rounding.most, max(kernels.error(), host.error()));
    return trace;
  }

  EtNode named(std::size_t v) const {
    EtNode made;
    made.name = order_.node(v).name;
    return made;
  }

  void wait(EtNode& made, std::size_t v) const {
    for (const std::size_t u : order_.nearest_predecessors(v)) made.after.push_back(last_id(u));
  }

  EtNode work(std::size_t v, int rank, RoundedClock& clock) const {
    const StepNode& node = order_.node(v);
    EtNode made = named(v);
    wait(made, v);
    made.on_host = !is_compute(node);
    const double speed = is_compute(node) ? step_.plan().cluster->speed(rank) : 1;
    made.duration_us = clock.advance(inputs_.duration[v] / speed);
    return made;
  }

  EtNode exchange(std::size_t v, int rank, int role) {
    const StepNode& node = order_.node(v);
    EtNode made = named(v);
    if (node.role == role) wait(made, v);  // a receiver only waits for what is sent
    if (node.kind == NodeKind::transfer) {
      const auto& stages = stages_[static_cast<std::size_t>(rank)];
      made.kind = node.role == role ? EtKind::send : EtKind::receive;
      made.sender = stages.at(static_cast<std::size_t>(node.role));
      made.receiver = stages.at(static_cast<std::size_t>(node.peer));
      made.bytes = std::llround(node.payload.value);
      return made;
    }
    const auto& group = groups_.of(rank, node);
    made.kind = EtKind::collective;
    made.collective = chakra_kind(node);
    made.group = group.name;
    const double parts = made.collective == EtCollective::all_gather ? static_cast<double>(group.size) : 1;
    made.bytes = static_cast<std::int64_t>(std::ceil(node.payload.value / parts));
    made.element_bytes = std::llround(element(node).value);
    // A broadcast is the one kind that ASTRA-sim does not simulate, but takes at its word.
    if (made.collective == EtCollective::broadcast)
      made.duration_us = static_cast<std::uint64_t>(std::llround(inputs_.duration[v].value / node.repeats * 1e6));
    return made;
  }

  // Gradients have a precision of their own.
  Bytes element(const StepNode& node) const {
    const StepPlan& step = step_.plan().step;
    const bool gradients = !step_.lowered().mesh || node.axes.has(Axis::data);
    return gradients ? step.gradient_element : element_size(step.precision);
  }

  const CostedStep& step_;
  StepInputs inputs_;
  StepOrder order_;
  GroupNames groups_;
  std::vector<std::uint64_t> first_id_;
  std::vector<std::vector<int>> stages_;  // by rank: the ranks of its pipeline
};

}  // namespace

EtExport exported_step(const CostedStep& step) { return StepExport(step).all(); }

std::string groups_json(const EtGroups& groups) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i <= groups.size(); ++i)
    lines.push_back(fmt::format("  \"{}\": [{}]", i, fmt::join(groups.at(std::to_string(i)), ", ")));
  return fmt::format("{{\n{}\n}}\n", fmt::join(lines, ",\n"));
}

}  // namespace mlsim::interop
