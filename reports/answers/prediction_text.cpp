#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/figure_text.hpp"
#include "reports/renderers/renderers.hpp"
#include "reports/renderers/terminal_lines.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kLabelWidth = 12;

std::string asked(const Prediction& p) {
  const auto& in = p.inputs;
  std::string text =
      fmt::format("{}, {}, {}, global batch {} ({} per accelerator)", in.topology, in.parallelism, name(in.precision),
                  figure_text(in.global_batch), figure_text(in.batch_per_accelerator));
  if (!in.recipe.empty()) text += fmt::format(", recipe {}", in.recipe);
  if (!in.exchanges.empty()) text += ", " + joined(in.exchanges, "; ").text;
  for (const auto& [key, value] : in.settings) text += fmt::format(", {}={}", key, value);
  return text;
}

Table step_table(const StepBreakdown& step, std::size_t bar_width) {
  Table table = table_of(word_columns("Step"), figure_columns("time", "share"), word_columns(""));
  const auto add = [&](const std::string& label, Seconds time, bool drawn) {
    const double share = step.time.value > 0 ? time / step.time : 0;
    table.rows.push_back(
        {"  " + label, figure_text(time), percent_text(share), drawn ? share_bar(share, bar_width) : ""});
  };
  for (const auto& [label, part] : kStepParts)
    if ((step.*part).value != 0) add(label, step.*part, true);
  add("whole step", step.time, false);
  return table;
}

// The mean is the step time of the answer itself.
void put_distribution(TerminalLines& page, const Prediction& p) {
  if (!p.step_distribution) return;
  const StepDistribution& d = *p.step_distribution;
  std::string text = fmt::format("mean of {} steps drawn {}, median {}, P95 {}, P99 {}; {} where ranks are alike",
                                 d.steps, figure_text(d.mean), figure_text(d.median), figure_text(d.p95),
                                 figure_text(d.p99), figure_text(d.even));
  if (d.absorbed > 1e-3 * (d.mean - d.even))
    text += fmt::format("; collectives absorb {} of what they would wait for the last rank", figure_text(d.absorbed));
  page.item("Stragglers", text, kLabelWidth);
}

void put_step(TerminalLines& page, const Prediction& p) {
  constexpr std::size_t kFigures = 46, kLeastBar = 8, kMostBar = 48;  // columns
  const std::size_t bar_width = std::clamp(page.width() - kFigures, kLeastBar, kMostBar);
  page.block(to_text(step_table(p.step, bar_width), page.width()));
  page.item("Range", fmt::format("{} a step, 5th to 95th percentile", interval_text<Seconds>(p.interval.step_time)),
            kLabelWidth);
  put_distribution(page, p);
  if (p.step.communication.value <= 0) return;
  const Seconds hidden = max(p.step.communication - p.step.exposed_communication, Seconds(0));
  page.item("Exchange",
            fmt::format("{} of communication in all, {} of it hidden under other work",
                        figure_text(p.step.communication), hidden.value > 0 ? figure_text(hidden) : "none"),
            kLabelWidth);
}

// Writes "activations 20.4 GiB (66 %), optimizer state 3.76 GiB, ...", the largest first; empty where nothing is known.
std::string memory_parts_text(const Prediction::Memory& memory) {
  const auto& m = memory.parts;
  auto parts = std::to_array(kMemoryParts);
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) { return m.*a.part > m.*b.part; });
  std::string text;
  for (const auto& [label, part] : parts) {
    const Bytes size = m.*part;
    if (size.value <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", label, figure_text(size));
    if (label == parts.front().name) text += fmt::format(" ({})", percent_text(size / memory.per_accelerator));
  }
  return text;
}

void put_memory(TerminalLines& page, const Prediction::Memory& memory) {
  const std::string of = memory.capacity.value > 0 ? " of " + figure_text(memory.capacity) : "";
  page.item("Memory",
            fmt::format("{}{} per accelerator, {}; the largest batch per accelerator is {}",
                        figure_text(memory.per_accelerator), of, memory.fits ? "fits" : "DOES NOT FIT",
                        figure_text(memory.largest_batch_per_accelerator)),
            kLabelWidth);
  const std::string parts = memory_parts_text(memory);
  if (!parts.empty()) page.item("", parts, kLabelWidth);
}

void put_figures(TerminalLines& page, const Prediction& p) {
  const double each = p.throughput.value / std::max(1, p.inputs.accelerators);
  if (!p.inputs.sample.empty()) page.item("Sample", p.inputs.sample, kLabelWidth);
  page.item("Throughput",
            fmt::format("{}; {} per accelerator", figure_text(p.throughput), figure_text(PerSecond(each))),
            kLabelWidth);
  if (p.language)
    page.item("Tokens",
              fmt::format("{} tokens/s; {} tokens/s and {} of model FLOP per accelerator",
                          figure_text(p.language->tokens.value), figure_text(p.language->tokens_per_accelerator.value),
                          to_text(p.language->model_rate)),
              kLabelWidth);
  if (p.goodput)
    page.item("Goodput",
              fmt::format("{} of a long job's time: a failure every {}, a checkpoint of {} every {} of work",
                          percent_text(p.goodput->share), figure_text(p.goodput->between_failures),
                          figure_text(p.goodput->checkpoint), figure_text(p.goodput->interval)),
              kLabelWidth);
  page.item("Scaling",
            fmt::format("speedup {} over one accelerator at the same batch per accelerator, efficiency {}",
                        figure_text(p.speedup), percent_text(p.scaling_efficiency)),
            kLabelWidth);
  if (p.input) {
    page.item("Input",
              fmt::format("{} can deliver {}{}", p.input->slowest, figure_text(p.input->rate),
                          p.input->limits ? ": it limits the step" : ""),
              kLabelWidth);
  }
  if (p.mfu) page.item("MFU", percent_text(*p.mfu), kLabelWidth);
  put_memory(page, p.memory);
}

// Writes "training 34.1 s, 18 evaluations 3.20 s".
std::string job_times(const Prediction::Job& job) {
  struct Part {
    const char* label;
    Seconds time;
    double count;  // named where it is not 0
  };
  const std::array<Part, 9> parts{{{"start-up", job.startup, 0},
                                   {"self-play", job.self_play, 0},
                                   {"training", job.train, 0},
                                   {"evaluations", job.evaluation, job.evaluations},
                                   {"checkpoints", job.checkpoint, job.checkpoints},
                                   {"overrun", job.overrun, 0},
                                   {"failures", job.restart, job.failures},
                                   {"preemptions", job.preemption, job.preemptions},
                                   {"initialisation", job.clock == ClockRule::wall ? job.init : Seconds(0), 0}}};
  std::string text;
  for (const auto& [label, time, count] : parts) {
    if (time.value == 0) continue;
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", count == 0 ? "" : figure_text(count) + " ", label,
                        figure_text(time));
  }
  return text;
}

// Says what is paid for besides the clock.
std::string billed_text(const Prediction::Job& job) {
  std::string text = figure_text(job.billed);
  if (job.clock != ClockRule::wall && job.init.value > 0)
    text += fmt::format(", initialisation {}", figure_text(job.init));
  if (job.teardown.value > 0) text += fmt::format(", tear-down {}", figure_text(job.teardown));
  return text;
}

// Writes "13.36 USD (10.86 .. 16.44 USD), 13.20 USD without initialisation".
std::string cost_text(const Prediction& p) {
  std::string text = with_interval(*p.cost, p.interval.cost);
  if (p.cost_without_init && p.job && p.job->init.value > 0)
    text += fmt::format(", {} without initialisation", figure_text(*p.cost_without_init));
  return text;
}

void put_job(TerminalLines& page, const Prediction& p) {
  if (p.job) {
    page.item("Job",
              fmt::format("{} epochs = {} samples = {} steps", figure_text(p.job->epochs_to_target),
                          figure_text(p.job->samples_to_target), figure_text(std::round(p.job->steps))),
              kLabelWidth);
    if (const auto& runs = p.interval.samples_to_target; runs && (*runs)[1] > (*runs)[0]) {
      const double epoch = p.job->samples_to_target / p.job->epochs_to_target;
      page.item("",
                fmt::format("nine runs of ten take {} .. {} epochs", figure_text((*runs)[0] / epoch),
                            figure_text((*runs)[1] / epoch)),
                kLabelWidth);
    }
    const std::string times = job_times(*p.job);
    if (!times.empty()) page.item("", times, kLabelWidth);
    if (p.job->checkpoint_interval.value > 0)
      page.item("", fmt::format("a checkpoint every {} of work", figure_text(p.job->checkpoint_interval)), kLabelWidth);
  }
  if (p.time_to_target) {
    page.item("To target", with_interval(*p.time_to_target, p.interval.time_to_target), kLabelWidth);
  }
  if (p.job) page.item("Billed", billed_text(*p.job), kLabelWidth);
  if (p.cost) page.item("Cost", cost_text(p), kLabelWidth);
  if (p.purchase) page.item("Purchase", purchase_note(*p.purchase), kLabelWidth);
  if (p.energy)
    page.item("Energy",
              p.energy->job_j ? joules_text(*p.energy->job_j) + ", " + energy_note(*p.energy) : energy_note(*p.energy),
              kLabelWidth);
  if (p.price_index) {
    page.item("Price index",
              fmt::format("{}: the training costs {} times as much as on one accelerator and is {} times as fast",
                          figure_text(p.price_index->value()), figure_text(p.price_index->price_increase),
                          figure_text(p.price_index->performance_increase)),
              kLabelWidth);
  }
}

void put_basis(TerminalLines& page, const Prediction& p) {
  const auto& s = p.simulation;
  const auto count = [](std::uint64_t n) { return figure_text(static_cast<double>(n)); };
  page.item("Simulated",
            fmt::format("{} rank{} in {} class{}, {} flows, {} events, {} fidelity by {}{}",
                        count(static_cast<std::uint64_t>(s.ranks)), s.ranks == 1 ? "" : "s", count(s.classes),
                        s.classes == 1 ? "" : "es", count(s.flows), count(s.events), name(s.fidelity), s.engine,
                        s.wall_s ? ", in " + figure_text(Seconds(*s.wall_s)) : ""),
            kLabelWidth);
  if (p.measured)
    page.item("Measured", figure_text(p.measured->time) + ", " + measured_step_text(*p.measured), kLabelWidth);
  if (!p.distance.text.empty()) page.item("Distance", p.distance.text, kLabelWidth);
}

}  // namespace

std::string prediction_text(const Prediction& prediction, std::size_t width, bool color) {
  if (prediction.collective) return collective_text(prediction, {color, width, true});
  TerminalLines page(color, width);
  page.lines(headline_lines(prediction, width), Style::bold);
  page.item("", asked(prediction), 0);
  page.line("");
  put_step(page, prediction);
  page.line("");
  put_figures(page, prediction);
  put_job(page, prediction);
  put_basis(page, prediction);
  for (const std::string& item : layout_items(prediction.layouts)) page.item("Layout", item, kLabelWidth);
  page.block(sources_text(prediction, width));
  page.block(measure_next_text(prediction.measure_next, width));
  if (!prediction.warnings.empty()) page.line("");
  for (const auto& warning : prediction.warnings) page.item("Warning:", warning, 9, Style::warning);
  return page.text();
}

}  // namespace mlsim::reports
