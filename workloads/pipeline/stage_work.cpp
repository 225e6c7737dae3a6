#include "workloads/pipeline/stage_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace mlsim::workloads {
namespace {

// A place says which part of a step graph a vertex belongs to, and its number there.
enum class Group { none, backward, gradient, update };
struct Place {
  Group group = Group::none;
  std::size_t number = 0;  // backward: kernels up to there
};

class Gathering {
 public:
  Gathering(const StepGraph& graph, int micro_batches) : graph_(graph), place_(num_vertices(graph)) {
    // All micro-batches but the last stand before it, in as many nodes.
    std::size_t passes = 0;
    for (StepVertex v = 0; v < num_vertices(graph); ++v) passes += is_pass(graph[v]) ? 1 : 0;
    skipped_ = micro_batches > 1 ? passes / 2 : 0;
  }

  StageWork gather() {
    for (StepVertex v = 0; v < num_vertices(graph_); ++v) {
      const StepNode& node = graph_[v];
      if (is_pass(node)) {
        if (skipped_ > 0) {
          --skipped_;
        } else {
          add_pass(v);
        }
      } else if (node.part == StepPart::optimizer || !work_.update.empty()) {
        add_update(v);
      } else if (node.kind == NodeKind::collective) {
        add_gradient(v);
      }
    }
    work_.forward = std::make_shared<const Kernels>(std::move(forward_));
    work_.backward = std::make_shared<const Kernels>(std::move(backward_));
    work_.forward_exchanges = merged(forward_exchanges_, "forward");
    work_.backward_exchanges = merged(backward_exchanges_, "backward");
    return std::move(work_);
  }

 private:
  struct Exchanges {
    Bytes total;
    int count = 0;
  };
  using ExchangesOfKind = std::map<std::tuple<CollectiveKind, AxisSet>, Exchanges>;

  static bool is_pass(const StepNode& node) {
    return node.part == StepPart::forward || node.part == StepPart::backward;
  }

  void add_pass(StepVertex v) {
    const StepNode& node = graph_[v];
    const bool back = node.part == StepPart::backward;
    if (node.kind == NodeKind::host_work) {
      work_.host_time += node.host_time;
    } else if (node.kind == NodeKind::collective) {
      auto& exchanges = (back ? backward_exchanges_ : forward_exchanges_)[{node.collective, node.axes}];
      exchanges.total += node.payload;
      ++exchanges.count;
    } else {
      (back ? backward_ : forward_).push_back(node.work);
    }
    if (back) place_[v] = {Group::backward, backward_.size()};
  }

  void add_gradient(StepVertex v) {
    StageWork::GradientNode gradient{graph_[v], 0};
    for (auto [edge, end] = in_edges(v, graph_); edge != end; ++edge) {
      const Place& before = place_[source(*edge, graph_)];
      if (before.group == Group::backward) gradient.kernels = std::max(gradient.kernels, before.number);
    }
    place_[v] = {Group::gradient, work_.gradients.size()};
    work_.gradients.push_back(std::move(gradient));
  }

  void add_update(StepVertex v) {
    StageWork::UpdateNode update{graph_[v], {}, {}};
    for (auto [edge, end] = in_edges(v, graph_); edge != end; ++edge) {
      const Place& before = place_[source(*edge, graph_)];
      if (before.group == Group::gradient) update.gradients.push_back(before.number);
      if (before.group == Group::update) update.updates.push_back(before.number);
    }
    place_[v] = {Group::update, work_.update.size()};
    work_.update.push_back(std::move(update));
  }

  static std::vector<StepNode> merged(const ExchangesOfKind& all, const char* pass) {
    std::vector<StepNode> nodes;
    for (const auto& [key, exchanges] : all) {
      StepNode& node = nodes.emplace_back();
      std::tie(node.collective, node.axes) = key;
      node.kind = NodeKind::collective;
      node.stream = Stream::exchange;
      node.name = fmt::format("{} {}", name(node.collective), pass);
      node.payload = exchanges.total / double(exchanges.count);
      node.repeats = exchanges.count;
    }
    return nodes;
  }

  const StepGraph& graph_;
  std::vector<Place> place_;  // by vertex
  std::size_t skipped_ = 0;   // nodes of passes still to skip
  Kernels forward_, backward_;
  ExchangesOfKind forward_exchanges_, backward_exchanges_;
  StageWork work_;
};

}  // namespace

StageWork stage_work(const ShardedModel& part, const StepPlan& plan) {
  return Gathering(lower(part, plan), plan.micro_batches).gather();
}

}  // namespace mlsim::workloads
