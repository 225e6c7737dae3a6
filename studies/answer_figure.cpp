#include "studies/answer_figure.hpp"

#include <fmt/format.h>

#include "sim/job/job_clock.hpp"

namespace mlsim::studies {
namespace {

using Number = std::optional<double>;

Number number(double value) { return value; }

template <int S, int B, int F, int D>
Number number(const Quantity<S, B, F, D>& quantity) {
  return quantity.value;
}

template <class Q>
Number number(const std::optional<Q>& quantity) {
  return quantity ? number(*quantity) : std::nullopt;
}

Number held(const Prediction& p) {
  return p.job && p.time_to_target ? number(held_time(*p.job, *p.time_to_target)) : std::nullopt;
}

// A collective by itself has a time and bandwidths, and nothing that only a job has.
bool of_collectives(const AnswerFigure& figure) {
  return figure.key == "step_time_s" || figure.key == "used_accelerators" || figure.key.ends_with("bytes_per_s");
}

std::vector<AnswerFigure> with_meaning(std::vector<AnswerFigure> all) {
  for (AnswerFigure& figure : all) {
    if (of_collectives(figure)) continue;
    figure.value = [value = figure.value](const Prediction& p) { return p.collective ? Number() : value(p); };
  }
  return all;
}

// An interval of zeros was left open.
std::optional<Interval> step_interval(const Prediction& p) {
  return p.collective && p.interval.step_time[1] <= 0 ? std::nullopt : std::optional(p.interval.step_time);
}

}  // namespace

const std::vector<AnswerFigure>& figures() {
  using P = Prediction;
  constexpr auto lower = Better::lower, higher = Better::higher, neither = Better::neither;
  static const std::vector<AnswerFigure> all = with_meaning({
      {"time_to_target_s", "time to target", "s", lower, [](const P& p) { return number(p.time_to_target); },
       [](const P& p) { return p.interval.time_to_target; }},
      {"cost_usd", "cost", "USD", lower, [](const P& p) { return number(p.cost); },
       [](const P& p) { return p.interval.cost; }},
      {"cost_without_init_usd", "cost without init", "USD", lower,
       [](const P& p) { return number(p.cost_without_init); }, [](const P& p) { return p.interval.cost_without_init; }},
      {"price_usd_per_s", "price", "USD/s", neither, [](const P& p) { return number(p.price); }},
      {"throughput_samples_per_s", "throughput", "1/s", higher, [](const P& p) { return number(p.throughput); }},
      {"step_time_s", "step time", "s", lower, [](const P& p) { return number(p.step.time); }, step_interval},
      {"algorithm_bandwidth_bytes_per_s", "algorithm bandwidth", "B/s", higher,
       [](const P& p) { return p.collective ? number(p.collective->algorithm_bandwidth) : Number(); }},
      {"bus_bandwidth_bytes_per_s", "bus bandwidth", "B/s", higher,
       [](const P& p) { return p.collective ? number(p.collective->bus_bandwidth) : Number(); }},
      {"exposed_communication", "exposed communication", "1", neither,
       [](const P& p) {
         return p.step.time.value > 0 ? Number(p.step.exposed_communication / p.step.time) : Number();
       }},
      {"scaling_efficiency", "scaling efficiency", "1", higher,
       [](const P& p) { return number(p.scaling_efficiency); }},
      {"mfu", "MFU", "1", higher, [](const P& p) { return p.mfu; }},
      {"energy_j", "energy", "J", lower, [](const P& p) { return p.energy ? p.energy->job_j : Number(); }},
      {"carbon_kg", "carbon", "kg", lower, [](const P& p) { return p.energy ? p.energy->carbon_kg : Number(); }},
      {"memory_bytes", "memory", "B", neither, [](const P& p) { return number(p.memory.per_accelerator); }},
      {"billed_s", "", "s", lower, [](const P& p) { return p.job ? number(p.job->billed) : Number(); }},
      {"held_s", "", "s", lower, held},
      {"epochs_to_target", "", "1", lower,
       [](const P& p) { return p.job ? number(p.job->epochs_to_target) : Number(); }},
      {"speedup", "", "1", higher, [](const P& p) { return number(p.speedup); }},
      {"compute_s", "", "s", lower, [](const P& p) { return number(p.step.compute); }},
      {"exposed_communication_s", "", "s", lower, [](const P& p) { return number(p.step.exposed_communication); }},
      {"input_wait_s", "", "s", lower, [](const P& p) { return number(p.step.input_wait); }},
      {"bubble_s", "", "s", lower, [](const P& p) { return number(p.step.bubble); }},
      {"overhead_s", "", "s", lower, [](const P& p) { return number(p.step.overhead); }},
      {"memory_capacity_bytes", "", "B", higher, [](const P& p) { return number(p.memory.capacity); }},
      {"largest_batch_per_accelerator", "", "1", higher,
       [](const P& p) { return number(p.memory.largest_batch_per_accelerator); }},
      {"used_accelerators", "", "1", neither, [](const P& p) { return number(p.inputs.accelerators); }},
      {"used_global_batch", "", "1", neither, [](const P& p) { return number(p.inputs.global_batch); }},
  });
  return all;
}

const std::vector<AnsweredInput>& answered_inputs() {
  using P = Prediction;
  static const std::vector<AnsweredInput> all{
      {"", "accelerators",
       [](const P& p) {
         const auto& in = p.inputs;
         return in.accelerator.empty() ? fmt::to_string(in.accelerators)
                                       : fmt::format("{} x {}", in.accelerators, in.accelerator);
       }},
      {"", "workload", [](const P& p) { return p.inputs.workload; }},
      {"used_precision", "precision", [](const P& p) { return std::string(name(p.inputs.precision)); }},
      {"", "global batch",
       [](const P& p) { return p.collective ? std::string() : fmt::format("{:g}", p.inputs.global_batch); }},
      {"used_parallelism", "parallelism",
       [](const P& p) { return p.collective ? std::string() : p.inputs.parallelism; }},
      {"used_backend", "backend", [](const P& p) { return p.collective ? p.collective->backend : std::string(); }},
      {"used_algorithm", "ran by", [](const P& p) { return p.collective ? p.collective->algorithm : std::string(); }},
      {"used_recipe", "recipe", [](const P& p) { return p.inputs.recipe; }},
      {"used_target", "target", [](const P& p) { return p.inputs.target; }},
      {"trust", "trust", [](const P& p) { return std::string(name(p.trust.level)); }},
  };
  return all;
}

}  // namespace mlsim::studies
