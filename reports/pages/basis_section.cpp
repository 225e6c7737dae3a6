#include "reports/pages/sections.hpp"

#include <utility>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

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

}  // namespace

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

}  // namespace mlsim::reports
