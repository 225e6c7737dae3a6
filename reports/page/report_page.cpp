#include "reports/page/report_page.hpp"

namespace mlsim::reports {

PageTable candidate_table(const std::string& id, const std::string& caption) {
  PageTable table{id, caption, {{"system"}, {"accelerators", "1"}, {"global batch", "1"}, {"time to target", "s"}}};
  add_range_columns(table, "time", "s");
  table.columns.push_back({"billed", "s"});
  add_range_columns(table, "billed", "s");
  table.columns.push_back({"price", "USD/h"});
  table.columns.push_back({"cost", "USD"});
  table.columns.push_back({"cost on the front", "USD"});
  return table;
}

std::vector<const PageTable*> tables_of(const ReportPage& page) {
  std::vector<const PageTable*> tables;
  for (const PageSection& section : page.sections)
    for (const PageBlock& block : section.blocks)
      if (const auto* table = std::get_if<PageTableBlock>(&block)) tables.push_back(&table->table);
  return tables;
}

}  // namespace mlsim::reports
