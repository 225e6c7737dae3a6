#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <utility>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

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

}  // namespace

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

}  // namespace mlsim::reports
