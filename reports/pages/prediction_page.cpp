#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/text/units_text.hpp"
#include "reports/answers/answer_texts.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

std::string system_text(const Prediction& p) {
  return fmt::format("{} \u00d7 {}", figure_text(static_cast<double>(p.inputs.accelerators)),
                     p.inputs.accelerator.empty() ? p.inputs.topology : p.inputs.accelerator);
}

std::string job_sentence(const Prediction& p) {
  const std::string target = p.inputs.target.empty() ? "its target" : p.inputs.target;
  std::string text = fmt::format("Training {} to {} on {} takes {}", p.inputs.workload, target, system_text(p),
                                 figure_text(*p.time_to_target));
  if (p.interval.time_to_target)
    text += fmt::format(", in nine runs of ten {}", interval_text<Seconds>(*p.interval.time_to_target));
  if (!p.cost) return text + "; no price of this system is on record.";
  text += fmt::format(", and costs {}", figure_text(*p.cost));
  if (p.interval.cost) text += fmt::format(" ({})", interval_text<Usd>(*p.interval.cost));
  return text + ".";
}

std::string step_sentence(const Prediction& p) {
  const auto share = [&](Seconds part) { return percent_text(p.step.time.value > 0 ? part / p.step.time : 0); };
  return fmt::format(
      "A step of {} samples takes {} ({}): {} of it compute, {} exposed communication, {} host and framework. That is "
      "{}.",
      figure_text(p.inputs.global_batch), figure_text(p.step.time), interval_text<Seconds>(p.interval.step_time),
      share(p.step.compute), share(p.step.exposed_communication), share(p.step.overhead), figure_text(p.throughput));
}

Table figures_table(const Prediction& p) {
  Table table{"figures", "The answer in figures", {{"figure"}, {"value"}, {"in nine runs of ten"}, {"beside it"}}};
  const auto add = [&](const std::string& name, const std::string& value, const std::string& range = {},
                       const std::string& note = {}) {
    table.rows.push_back({name, value, range, note});
  };
  if (p.time_to_target)
    add("time to target", figure_text(*p.time_to_target),
        p.interval.time_to_target ? interval_text<Seconds>(*p.interval.time_to_target) : "");
  const auto add_cost = [&](const char* name, const std::optional<Usd>& cost, const std::optional<Interval>& range) {
    if (cost) add(name, figure_text(*cost), range ? interval_text<Usd>(*range) : "");
  };
  add_cost("cost", p.cost, p.interval.cost);
  add_cost("cost without initialisation", p.cost_without_init, p.interval.cost_without_init);
  if (p.price)
    add("price of the system", cell(*p.price).text, "", p.purchase ? purchase_note(*p.purchase) : own_price_text(p));
  if (p.energy && p.energy->job_j) add("energy", joules_text(*p.energy->job_j), "", energy_note(*p.energy));
  if (p.energy && !p.energy->job_j) add("power", watts_text(p.energy->power_w), "", energy_note(*p.energy));
  add("throughput", figure_text(p.throughput));
  add("step time", figure_text(p.step.time), interval_text<Seconds>(p.interval.step_time));
  add("scaling efficiency, same batch per accelerator", percent_text(p.scaling_efficiency));
  if (p.language) {
    add("tokens", figure_text(p.language->tokens.value) + " tokens/s");
    add("tokens per accelerator", figure_text(p.language->tokens_per_accelerator.value) + " tokens/s", "",
        fmt::format("{} of model FLOP", to_text(p.language->model_rate)));
  }
  if (p.goodput)
    add("goodput of a long job", percent_text(p.goodput->share), "",
        fmt::format("a failure every {}", figure_text(p.goodput->between_failures)));
  if (p.mfu) add("model FLOP utilisation", percent_text(*p.mfu));
  add("memory of an accelerator",
      fmt::format("{} of {}", figure_text(p.memory.per_accelerator), figure_text(p.memory.capacity)));
  if (const auto& run = p.nearest_published)
    add("nearest published run", published_figure_text(*run), "", published_run_text(*run));
  if (p.measured) add("measured step", figure_text(p.measured->time), "", measured_step_text(*p.measured));
  add("trust", std::string(name(p.trust.level)), "", p.trust.why.text);
  return table;
}

PageSection answer_section(const Prediction& p) {
  PageSection section{"answer", "The answer", {}};
  if (!p.warnings.empty()) section.blocks.emplace_back(PageList{p.warnings, true});
  section.blocks.emplace_back(PageTable{figures_table(p), false});
  if (!p.layouts.empty()) section.blocks.emplace_back(PageList{layout_items(p.layouts)});
  return section;
}

PagePoints candidates_of(const Scaling& scaling) {
  PagePoints points = answered_sizes(scaling);
  for (const JobPoint& point : scaling.batches)
    points.push_back({"", point.prediction->inputs.topology, &*point.prediction});
  for (PagePoint& point : points) point.system = scaling.sizes.back().prediction->inputs.topology;
  return points;
}

// The deadline slider begins at the 95th percentile of the time to target.
Seconds first_deadline(const Prediction& p) {
  if (!p.time_to_target) return Seconds(0);
  return p.interval.time_to_target ? Seconds((*p.interval.time_to_target)[1]) : *p.time_to_target;
}

Page answer_page(const Prediction& answer, const PageOrigin& origin) {
  Page page;
  page.title = fmt::format("{} on {}", answer.inputs.workload, system_text(answer));
  page.made_by = origin.made_by;
  if (answer.time_to_target) page.answer.push_back(job_sentence(answer));
  page.answer.push_back(step_sentence(answer));
  page.sections.push_back(answer_section(answer));
  return page;
}

void add_basis(Page& page, const Prediction& answer, const PageOrigin& origin) {
  page.sections.push_back(basis_section({{"this answer", answer.inputs.topology, &answer}}));
  page.sections.push_back(repeat_section(origin, &answer));
}

}  // namespace

Page prediction_page(const JobStudy& study, const PageOrigin& origin) {
  Page page = answer_page(study.answer, origin);
  const PagePoints sizes = answered_sizes(study.scaling);
  page.sections.push_back(scaling_section(study.scaling));
  page.sections.push_back(cost_section(page_candidates(candidates_of(study.scaling))));
  for (PageSection& section : step_sections(study)) page.sections.push_back(std::move(section));
  page.sections.push_back(price_section(page_candidates(sizes), kBySize, {first_deadline(study.answer)}));
  page.sections.push_back(published_section(study.comparable));
  add_basis(page, study.answer, origin);
  return page;
}

Page prediction_page(const Prediction& answer, const PageOrigin& origin) {
  if (answer.collective) return collective_answer_page(answer, origin);
  Page page = answer_page(answer, origin);
  const PagePoints one{{figure_text(static_cast<double>(answer.inputs.accelerators)), answer.inputs.topology, &answer}};
  page.sections.push_back(step_section(one, kBySize));
  page.sections.push_back(memory_section(one, kBySize));
  page.sections.push_back(
      {"more",
       "Scaling, prices, timeline and published runs",
       {PageText{"A saved answer holds one size of one system; `mlsim predict ... --report` asks for the others."}}});
  add_basis(page, answer, origin);
  return page;
}

}  // namespace mlsim::reports
