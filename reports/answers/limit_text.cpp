#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

struct Limit {
  double share = 0;   // of what is billed, or of the step where there is no job
  std::string name;   // "start-up"
  std::string words;  // "95 % of the bill is initialisation"
};

std::vector<Limit> limits_of_step(const Prediction& p, double step_share) {
  const StepBreakdown& step = p.step;
  if (!(step.time.value > 0)) return {};
  std::vector<Limit> limits;
  const auto add = [&](Seconds time, const char* name, const std::string& what) {
    const double part = time / step.time;
    limits.push_back({step_share * part, name, fmt::format("{} of the step {}", whole_percent(part), what)});
  };
  add(step.compute + step.optimizer, "compute",
      p.mfu ? fmt::format("is kernels, at {} of the peak", whole_percent(*p.mfu)) : "is kernels");
  add(step.exposed_communication, "communication", "waits for exchanges that nothing hides");
  add(step.overhead, "the host", "is host and framework");
  add(step.input_wait, "input",
      p.input ? fmt::format("waits for {}, which delivers {}", p.input->slowest, figure_text(p.input->rate))
              : "waits for it");
  add(step.straggler_wait, "stragglers", "waits for slow accelerators");
  add(step.bubble, "the pipeline", "is bubbles between its stages");
  return limits;
}

// Lists what is billed besides steps.
std::vector<Limit> limits_of_job(const Prediction::Job& job) {
  std::vector<Limit> limits;
  const auto add = [&](Seconds time, const char* name, const char* what) {
    const double part = time / job.billed;
    limits.push_back({part, name, fmt::format("{} of the bill is {}", whole_percent(part), what)});
  };
  add(job.init + job.startup, "start-up", "initialisation");
  add(job.evaluation, "evaluation", "evaluations");
  add(job.self_play, "self-play", "games");
  add(job.checkpoint, "checkpoints", "checkpoints");
  add(job.restart + job.preemption, "failures", "work done again and restarts");
  add(job.teardown, "tear-down", "tear-down");
  return limits;
}

}  // namespace

std::string whole_percent(double share) {
  return std::abs(share) < 10 ? fmt::format("{:.0f} %", 100 * share) : percent_text(share);
}

std::string limit_text(const Prediction& p) {
  if (!p.memory.fits) return "It does not fit in memory.";
  const bool billed = p.job && p.job->billed.value > 0;
  std::vector<Limit> limits = limits_of_step(p, billed ? p.job->train / p.job->billed : 1);
  if (billed) {
    const std::vector<Limit> of_job = limits_of_job(*p.job);
    limits.insert(limits.end(), of_job.begin(), of_job.end());
  }
  const auto most =
      std::max_element(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) { return a.share < b.share; });
  if (most == limits.end() || !(most->share > 0)) return {};
  return fmt::format("{} {}: {}.", most->share >= 0.5 ? "Mostly" : "Above all", most->name, most->words);
}

}  // namespace mlsim::reports
