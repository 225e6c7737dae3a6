// A `LoweredPlan` is the step graph of a plan, the mesh it runs on, and how its collectives run.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/exchange/planned_exchange.hpp"
#include "sim/mesh/mesh_planner.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/question_hops.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::sim {

struct LoweredPlan {
  std::shared_ptr<const StepGraph> graph;  // plans of one question share it where they lower alike
  PlannedExchanges collectives;
  std::optional<ChosenMesh> mesh;      // empty where data parallelism is all there is
  std::optional<FusionCycles> cycles;  // of Horovod, where gradients leave as its cycles find them
  std::vector<Bytes> offloaded = {};   // by role: what its forward passes of a step send to the host; empty: nothing
};

/// Makes one of a graph that no plan of a question lowers to; its exchanges, where it has any, are given.
LoweredPlan lowered_alone(StepGraph graph, PlannedExchanges collectives = {});

/// A question is costed for many plans: of each software on record, batch and layout that it leaves open. A
/// `QuestionCache` holds what they share: the system, its hops, the graphs of plans that lower alike, and the mesh and
/// exchanges of plans whose ranks say as much to each other. All its plans are of one question, on one machine.
struct QuestionCache {
  struct Said {
    Parallelism parallelism;
    std::string mesh;  // as asked
    Bytes element, gradient_element;
    bool to_servers = false;
    std::map<ExchangeKey, Traffic> traffic;
    auto operator<=>(const Said&) const = default;
  };
  struct Planned {
    std::optional<ChosenMesh> mesh;
    PlannedExchanges collectives;
  };
  struct Graph {
    std::shared_ptr<const ModelPart> part;
    StepPlan step;
    std::shared_ptr<const StepGraph> graph;
  };
  AskedSystem system;
  QuestionHops hops;
  std::vector<Graph> graphs;
  std::map<Said, Planned> planned;
};

/// `cache`, where given, is taken from and added to.
LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles = {},
                       QuestionCache* cache = nullptr);

}  // namespace mlsim::sim
