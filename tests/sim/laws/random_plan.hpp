// Random plans that can be run as they are: systems, workloads, sizes, formats, splits and settings of the catalogue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "tests/drawn_of.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

struct RandomPlan {
  std::string machine;                           // "dgx-a100"
  std::map<std::string, std::string> hardware;   // options of the topology: "nodes" -> "4"
  std::string workload, precision, parallelism;  // the last two may be empty
  double batch = 1;                              // of each accelerator
  std::map<std::string, std::string> settings;
  Fidelity fidelity = Fidelity::closed;
  bool anchored = true;  // on the published runs

  std::string topology() const;
  /// "mlsim predict --as-is --topology dgx-a100:nodes=4 ...": what a failed law prints.
  std::string command() const;
  PredictRequest request() const;
  /// The same with one more setting.
  RandomPlan with(const std::string& setting, const std::string& value) const;
  /// The same with another option of the topology.
  RandomPlan on(const std::string& option, const std::string& value) const;
  bool asks(const std::string& setting) const { return settings.contains(setting); }
  bool is_drawn_by_chance() const { return asks("jitter") || asks("speed_spread") || asks("input_skew"); }
};

/// Empty where the plan is refused.
std::optional<Prediction> answer_of(const RandomPlan& plan);

/// The same plan's answers from folded flows and flow by flow.
struct FlowAnswers {
  std::optional<Prediction> folded, fluid;
};
FlowAnswers flow_answers_of(RandomPlan plan);

struct AnsweredPlan {
  RandomPlan plan;
  Prediction answer;
};

/// Plans that can be run, drawn_of(all) of those that `suits`; equal seeds give equal plans on every machine.
std::vector<AnsweredPlan> random_plans(std::uint64_t seed, int all,
                                       const std::function<bool(const RandomPlan&)>& suits = {});

}  // namespace mlsim::test
