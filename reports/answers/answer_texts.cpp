#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "reports/figure_text.hpp"
#include "reports/renderers/terminal_lines.hpp"
#include "reports/wrapped_text.hpp"
#include "topologies/price/own_price.hpp"

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
  add(job.overrun, "overrun", "what trainings take beyond their steps");
  add(job.restart + job.preemption, "failures", "work done again and restarts");
  add(job.teardown, "tear-down", "tear-down");
  return limits;
}

bool run_differs(const PublishedRun& run, const char* what) {
  return std::find(run.differs.begin(), run.differs.end(), what) != run.differs.end();
}

std::string figure_text_of(const PublishedRun& run, double value) {
  return run.metric == "throughput" ? rate_text(PerSecond(value)) : figure_text(Seconds(value));
}

// Writes "this system" or "16 in dgx-a100".
std::string run_system_text(const PublishedRun& run) {
  const bool same =
      !run_differs(run, "machine") && !run_differs(run, "accelerator") && !run_differs(run, "accelerators");
  return same ? "this system"
              : fmt::format("{} in {}", figure_text(static_cast<double>(run.accelerators)),
                            run.topology.substr(0, run.topology.find(':')));
}

// Picks the largest of four units, from small to large, that keeps the number at or above one.
std::string in_units(double value, const std::array<std::pair<double, const char*>, 4>& units) {
  const auto* chosen = &units.front();
  for (const auto& unit : units)
    if (value >= unit.first * 0.9995) chosen = &unit;
  return fmt::format("{} {}", figure_text(value / chosen->first), chosen->second);
}

constexpr double kQuick = 0.05, kSlow = 0.95;  // of the range that every answer states

std::string pace_word(double percentile) {
  if (percentile > kSlow) return "slow";
  return percentile < kQuick ? "quick" : "normal";
}

}  // namespace

std::vector<std::string> headline_lines(const Prediction& p, std::size_t width) {
  if (p.collective) return joined_lines({collective_headline(p)}, "", width);
  const auto& in = p.inputs;
  std::vector<std::string> parts{fmt::format("{} on {} x {}: {} a step, {}", in.workload, in.accelerators,
                                             in.accelerator.empty() ? in.topology : in.accelerator,
                                             figure_text(p.step.time), figure_text(p.throughput))};
  if (p.time_to_target) {
    parts.push_back(fmt::format("{} to {}", with_interval(*p.time_to_target, p.interval.time_to_target),
                                in.target.empty() ? "the target" : in.target));
  }
  if (p.cost) parts.push_back(figure_text(*p.cost));
  if (!p.memory.fits) parts.emplace_back("does not fit in memory");
  return joined_lines(parts, "; ", width);
}

std::string headline_text(const Prediction& prediction, std::size_t width, bool color) {
  TerminalLines page(color, width);
  page.lines(headline_lines(prediction, width), Style::bold);
  return page.text();
}

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

std::string published_figure_text(const PublishedRun& run) { return figure_text_of(run, run.published); }

std::string published_run_text(const PublishedRun& run) {
  std::string text = run.source.substr(0, run.source.find(':')) + ", " + run_system_text(run);
  if (run.metric == "step_time") text += ", a step";
  if (run_differs(run, "workload")) text += ", " + run.workload;
  if (run_differs(run, "precision")) text += ", " + run.precision;
  if (run_differs(run, "batch")) text += ", batch " + figure_text(run.global_batch);
  if (run_differs(run, "stack")) text += ", other software";
  if (!run.predicted) return text + ": we cannot say";
  if (run.differs.empty()) return text + fmt::format(": we say {:+.0f} %", 100 * run.error());
  return text + fmt::format(": asked so (--like {}) we say {}, {:+.0f} %", run.id, figure_text_of(run, *run.predicted),
                            100 * run.error());
}

std::string joules_text(double joules) {
  return in_units(joules, {{{3600, "Wh"}, {3.6e6, "kWh"}, {3.6e9, "MWh"}, {3.6e12, "GWh"}}});
}

std::string watts_text(double watts) { return in_units(watts, {{{1, "W"}, {1e3, "kW"}, {1e6, "MW"}, {1e9, "GW"}}}); }

std::string carbon_text(double kilograms) {
  return in_units(kilograms, {{{1e-3, "g CO2e"}, {1, "kg CO2e"}, {1e3, "t CO2e"}, {1e6, "kt CO2e"}}});
}

std::string energy_note(const Prediction::Energy& energy) {
  const std::string carbon = energy.carbon_kg ? carbon_text(*energy.carbon_kg) + "; " : "";
  return fmt::format("{}{} of accelerators x PUE {:g}, {:g} kg a kWh", carbon, watts_text(energy.power_w), energy.pue,
                     energy.carbon_intensity);
}

std::string purchase_note(const Prediction::Purchase& purchase) {
  const std::string rent = figure_text(Usd(purchase.rent.value * 3600));
  const double years = purchase.life / hours(8766);
  if (purchase.break_even > 1)
    return fmt::format("renting at {}/h is cheaper, even if {:g} years are used in full", rent, years);
  return fmt::format("owning it is cheaper than rent at {}/h above {} of {:g} years in use", rent,
                     percent_text(purchase.break_even), years);
}

std::string own_price_text(const Prediction& prediction) {
  constexpr std::string_view kAt = " at ";
  for (const ProvenanceEntry& entry : prediction.provenance) {
    const auto found = entry.source.source.find(topologies::kGivenByUser);
    if (entry.figure != "price" || found == std::string::npos) continue;
    std::string where = entry.source.source.substr(found + topologies::kGivenByUser.size());
    where = where.substr(0, where.find_first_of(",;"));
    return where.starts_with(kAt) ? "your own, " + where.substr(kAt.size()) : "your own";
  }
  return "";
}

std::vector<std::string> layout_items(const std::vector<LayoutChoice>& layouts) {
  std::vector<std::string> items;
  for (const LayoutChoice& each : layouts)
    items.push_back(fmt::format("{}: {} a step by formulas, {}, {} bubble, limited by {}", each.layout,
                                figure_text(each.step_time), figure_text(each.memory), percent_text(each.bubble),
                                each.limit));
  return items;
}

std::vector<std::string> measure_next_items(const std::vector<NextMeasurement>& measurements) {
  std::vector<std::string> items;
  std::string command;
  for (const auto& next : measurements) {
    const std::string share = next.share > 0 ? fmt::format(" ({} of the step)", percent_text(next.share)) : "";
    items.push_back(
        fmt::format("{}{}: {}", next.what.text, share, next.command == command ? "likewise" : next.command));
    command = next.command;
  }
  return items;
}

std::string measure_next_text(const std::vector<NextMeasurement>& measurements, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  if (measurements.empty()) return {};
  std::string text = "\nMeasure next\n";
  for (const std::string& item : measure_next_items(measurements))
    text += labelled_text(padded("  -", kIndent), item, kIndent, width);
  return text;
}

std::string measured_step_text(const Prediction::MeasuredStep& measured) {
  const double percentile = measured.percentile;
  std::string text = fmt::format("{}: longer than {} of 100 steps expected here", pace_word(percentile),
                                 percentile > 0.995   ? "over 99"
                                 : percentile < 0.005 ? "under 1"
                                                      : fmt::format("{:.0f}", 100 * percentile));
  if (!measured.remedies.empty()) text += "; " + joined(measured.remedies, ", ").text;
  return text;
}

std::string sources_text(const Prediction& prediction, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  if (prediction.provenance.empty()) return {};
  std::string page = "\nRests on\n";
  for (const auto& entry : prediction.provenance) {
    const auto& source = entry.source;
    std::string text = entry.figure;
    if (!entry.value.text.empty()) text += ": " + entry.value.text;
    text += fmt::format(" [{}", name(source.provenance));
    if (!source.source.empty()) text += ": " + source.source;
    if (!source.date.empty()) text += ", " + source.date;
    page += labelled_text(padded("  -", kIndent), text + "]", kIndent, width);
  }
  return page;
}

}  // namespace mlsim::reports
