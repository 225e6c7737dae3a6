#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/quantile.hpp"
#include "core/text/units_text.hpp"
#include "reports/answers/answer_texts.hpp"
#include "reports/figure_text.hpp"
#include "reports/renderers/renderers.hpp"

namespace mlsim::reports {
namespace {

const StepBreakdown& whole_of(const PagePoint& point, Seconds StepBreakdown::*) { return point.prediction->step; }
const Prediction::MemoryParts& whole_of(const PagePoint& point, Bytes Prediction::MemoryParts::*) {
  return point.prediction->memory.parts;
}

// Lists the parts that any of the points has.
template <class Part, std::size_t N>
std::vector<Part> present(const Part (&parts)[N], const PagePoints& points) {
  std::vector<Part> some;
  for (const Part& each : parts)
    if (std::any_of(points.begin(), points.end(),
                    [&](const auto& point) { return (whole_of(point, each.part).*each.part).value > 0; }))
      some.push_back(each);
  return some;
}

PageChart bar_chart(const Table& table, const std::string& title, const std::string& summary, const std::string& by,
                    const ChartAxis& y, std::size_t parts) {
  PageChart chart{table.id, title, summary, table.id, 0, {by, "", false}, y, {}};
  for (std::size_t i = 0; i < parts; ++i)
    chart.series.push_back({table.columns[i + 1].heading, i + 1, SeriesStyle::bars});
  return chart;
}

Table settings_table(const Prediction::Inputs& in) {
  Table table{"settings", "What was asked, and chosen where nothing was said", {{"setting"}, {"value"}}};
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  add("system", in.topology);
  add("accelerators", figure_text(static_cast<double>(in.accelerators)) + " x " + in.accelerator);
  add("workload", in.workload);
  add("target", in.target);
  add("precision", std::string(name(in.precision)));
  add("global batch", figure_text(in.global_batch));
  add("batch per accelerator", figure_text(in.batch_per_accelerator));
  add("parallelism", in.parallelism);
  add("recipe", in.recipe);
  add("exchanges", joined(in.exchanges, "; ").text);
  add("fidelity", std::string(name(in.fidelity)));
  for (const auto& [key, value] : in.settings) add(key, value);
  return table;
}

TableCells more_row(const ResourceElasticity& e) {
  return {more_text(e),
          cell(e.changed_step),
          share_cell(e.saved),
          {fmt::format("x{:.2f}", e.throughput), e.throughput},
          {fmt::format("{:+.2f}", e.elasticity), e.elasticity}};
}

std::string batch_text(const ResourceElasticity& e) {
  return fmt::format(" Twice the batch takes {} a step and gives {:.2f} times the samples a second.",
                     figure_text(e.changed_step), e.throughput);
}

PageSection timeline_section(const Timeline& timeline) {
  PageSection section{"timeline", "The step from begin to end", {}};
  const std::string summary =
      fmt::format("what {} class{} of ranks do on each stream from 0 to {}.", timeline.class_size.size(),
                  timeline.class_size.size() == 1 ? "" : "es", figure_text(timeline.end()));
  section.blocks.emplace_back(PageTimeline{"One step, by class of ranks and stream", summary, timeline});
  section.blocks.emplace_back(PageTable{timeline_table(timeline), true});
  return section;
}

PageSection left_out_section(const std::string& why) {
  return {"what-if", "What more of a resource would save", {PageText{"Left out: " + why + "."}}};
}

}  // namespace

PageSection step_section(const PagePoints& points, const std::string& by) {
  PageSection section{"step", "What a step is made of", {}};
  const auto parts = present(kStepParts, points);
  Table table{"step", "Parts of a step by " + by, {{by}}};
  for (const auto& part : parts) table.columns.push_back({part.name, "s"});
  table.columns.push_back({"whole step", "s"});
  add_range_columns(table, "step", "s");
  for (const PagePoint& point : points) {
    TableCells row{point.label};
    for (const auto& part : parts) row.push_back(cell(whole_of(point, part.part).*part.part));
    row.push_back(cell(point.prediction->step.time));
    add_range<Seconds>(row, point.prediction->interval.step_time);
    table.rows.push_back(std::move(row));
  }
  section.blocks.emplace_back(bar_chart(table, "Step time by " + by, "the parts of each step, stacked.", by,
                                        {"step time", "s", false}, parts.size()));
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

PageSection memory_section(const PagePoints& points, const std::string& by) {
  PageSection section{"memory", "Memory against its limit", {}};
  const auto parts = present(kMemoryParts, points);
  Table table{"memory", "Memory of each accelerator by " + by, {{by}}};
  for (const auto& part : parts) table.columns.push_back({part.name, "B"});
  table.columns.push_back({"all", "B"});
  table.columns.push_back({"limit", "B"});
  table.columns.push_back({"batch per accelerator", "1"});
  table.columns.push_back({"largest that fits", "1"});
  for (const PagePoint& point : points) {
    const auto& memory = point.prediction->memory;
    TableCells row{point.label};
    for (const auto& part : parts) row.push_back(cell(whole_of(point, part.part).*part.part));
    row.push_back(cell(memory.per_accelerator));
    row.push_back(memory.capacity.value > 0 ? cell(memory.capacity) : TableCell{});
    row.push_back(count_cell(point.prediction->inputs.batch_per_accelerator));
    row.push_back(count_cell(memory.largest_batch_per_accelerator));
    table.rows.push_back(std::move(row));
  }
  PageChart chart = bar_chart(table, "Memory by " + by, "its parts, stacked, and the limit.", by,
                              {"memory of each accelerator", "B", false}, parts.size());
  chart.series.push_back({"limit", table.column("limit"), SeriesStyle::dashed});
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

PageSection basis_section(const PagePoints& points) {
  PageSection section{"basis", "Assumptions and sources", {}};
  Table table{"basis", "Figures that the answer rests on", {}};
  if (points.size() > 1) table.columns.push_back({"answer"});
  for (const char* heading : {"figure", "value", "known by", "source"}) table.columns.push_back({heading});
  for (const PagePoint& point : points) {
    if (!point.prediction->distance.text.empty())
      section.blocks.emplace_back(PageText{"How far " + point.label +
                                           " stands from what is on record: " + point.prediction->distance.text + "."});
    for (const ProvenanceEntry& entry : point.prediction->provenance) {
      TableCells row;
      if (points.size() > 1) row.push_back(point.label);
      const Source& source = entry.source;
      row.push_back(entry.figure);
      row.push_back(entry.value.text);
      row.push_back(name(source.provenance));
      row.push_back(source.date.empty() ? source.source : source.source + ", " + source.date);
      table.rows.push_back(std::move(row));
    }
  }
  section.blocks.emplace_back(PageTable{std::move(table), points.size() > 1});
  return section;
}

PageSection repeat_section(const PageOrigin& origin, const Prediction* answer) {
  PageSection section{"repeat", "The command that repeats it", {}};
  section.blocks.emplace_back(PageVerbatim{origin.command});
  if (answer != nullptr) section.blocks.emplace_back(PageTable{settings_table(answer->inputs), false});
  return section;
}

std::string more_text(const ResourceElasticity& e) {
  return fmt::format("{} the {}", e.change == "halved" ? "half" : "twice", e.resource);
}

PageSection what_if_section(const Explanation& explanation) {
  PageSection section{"what-if", "What more of a resource would save", {}};
  Table table{"what-if",
              "The step with twice of each resource",
              {{"with"}, {"step time", "s"}, {"saves", "share"}, {"throughput, times", "1"}, {"elasticity", "1"}}};
  std::string batch;
  for (const ResourceElasticity& e : explanation.elasticities) {
    if (e.resource == "batch") batch = batch_text(e);  // nothing that is bought
    if (e.resource != "batch") table.rows.push_back(more_row(e));
  }
  PageChart chart{"what-if",
                  "Share of the step that is saved",
                  "the resources that save most stand first.",
                  table.id,
                  0,
                  {"saved of the step", "share", false},
                  {"", "", false},
                  {{"saved", table.column("saves"), SeriesStyle::bars}}};
  chart.lying = true;
  section.blocks.emplace_back(PageText{
      "Each bar is one change by itself. Elasticity is the change of the step in per cent for one per cent more." +
      batch});
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

std::vector<PageSection> step_sections(const JobStudy& study) {
  const PagePoints sizes = answered_sizes(study.scaling);
  return {step_section(sizes, kBySize), memory_section(sizes, kBySize), timeline_section(study.timeline),
          study.explanation ? what_if_section(*study.explanation) : left_out_section(study.unexplained)};
}

PageSection lab_runs_section(const LabRuns& lab) {
  Table table = table_of(word_columns("link", "step"), figure_columns("hosts", "predicted", "measured", "error",
                                                                      "kernel", "collective", "contention", "overlap"));
  const auto percent = [](double share) { return fmt::format("{:+.1f}", 100 * share); };
  std::vector<double> errors;
  for (const LabRun& run : lab.runs) {
    errors.push_back(std::abs(run.error()));
    table.rows.push_back({run.rate, run.step, count_cell(run.hosts), to_text(run.predicted), to_text(run.measured),
                          percent(run.error()) + " %", percent(run.kernel), percent(run.collective),
                          percent(run.contention), percent(run.overlap)});
  }
  std::sort(errors.begin(), errors.end());
  const std::string note = fmt::format(
      "Median error {:.1f} %, worst {:.1f} % of {} runs; rank correlation (Spearman) of predicted and measured steps "
      "{:.2f}. Parts in percent of the measured step; docs/replay.md says what they are.",
      100 * quantile(errors, 0.5), 100 * errors.back(), errors.size(), rank_correlation(lab.runs));
  return {"lab", "Real runs of ours", {PageText{lab.measured_on}, PageTable{std::move(table)}, PageText{note}}};
}

}  // namespace mlsim::reports
