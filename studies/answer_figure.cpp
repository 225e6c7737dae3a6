#include "studies/answer_figure.hpp"

#include <fmt/format.h>

namespace mlsim::studies {
namespace {

template <class Q>
std::optional<double> number(const std::optional<Q>& quantity) {
  return quantity ? std::optional(quantity->value) : std::nullopt;
}

}  // namespace

const std::vector<AnswerFigure>& figures() {
  using P = Prediction;
  using Number = std::optional<double>;
  static const std::vector<AnswerFigure> all{
      {"time to target", "s", Better::lower, [](const P& p) { return number(p.time_to_target); },
       [](const P& p) { return p.interval.time_to_target; }},
      {"cost", "USD", Better::lower, [](const P& p) { return number(p.cost); },
       [](const P& p) { return p.interval.cost; }},
      {"price", "USD/s", Better::neither, [](const P& p) { return number(p.price); }},
      {"throughput", "1/s", Better::higher, [](const P& p) { return Number(p.throughput.value); }},
      {"step time", "s", Better::lower, [](const P& p) { return Number(p.step.time.value); },
       [](const P& p) { return std::optional(p.interval.step_time); }},
      {"exposed communication", "1", Better::neither,
       [](const P& p) {
         return p.step.time.value > 0 ? Number(p.step.exposed_communication / p.step.time) : Number();
       }},
      {"scaling efficiency", "1", Better::higher, [](const P& p) { return Number(p.scaling_efficiency); }},
      {"MFU", "1", Better::higher, [](const P& p) { return p.mfu; }},
      {"memory", "B", Better::neither, [](const P& p) { return Number(p.memory.per_accelerator.value); }},
  };
  return all;
}

const std::vector<AnsweredInput>& answered_inputs() {
  using P = Prediction;
  static const std::vector<AnsweredInput> all{
      {"accelerators",
       [](const P& p) {
         const auto& in = p.inputs;
         return in.accelerator.empty() ? fmt::to_string(in.accelerators)
                                       : fmt::format("{} x {}", in.accelerators, in.accelerator);
       }},
      {"workload", [](const P& p) { return p.inputs.workload; }},
      {"precision", [](const P& p) { return p.inputs.precision; }},
      {"global batch", [](const P& p) { return fmt::format("{:g}", p.inputs.global_batch); }},
      {"parallelism", [](const P& p) { return p.inputs.parallelism; }},
      {"recipe", [](const P& p) { return p.inputs.recipe; }},
      {"target", [](const P& p) { return p.inputs.target; }},
      {"trust", [](const P& p) { return std::string(name(p.trust.level)); }},
  };
  return all;
}

}  // namespace mlsim::studies
