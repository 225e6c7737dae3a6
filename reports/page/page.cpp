#include "reports/page/page.hpp"

#include <utility>

namespace mlsim::reports {

Table candidate_table(const std::string& id, const std::string& caption) {
  Table table{id, caption, {{"system"}, {"accelerators", "1"}, {"global batch", "1"}, {"time to target", "s"}}};
  add_range_columns(table, "time", "s");
  table.columns.push_back({"billed", "s"});
  add_range_columns(table, "billed", "s");
  table.columns.push_back({"price", "USD/h"});
  table.columns.push_back({"cost", "USD"});
  table.columns.push_back({"cost on the front", "USD"});
  return table;
}

void Page::add(std::vector<PageBlock> blocks) {
  if (!blocks.empty()) sections.push_back({"", "", std::move(blocks)});
}

Page table_page(Table table, const std::string& note) {
  Page page;
  page.add({PageTable{std::move(table)}});
  if (!note.empty()) page.add({PageText{note}});
  return page;
}

std::vector<const Table*> tables_of(const Page& page) {
  std::vector<const Table*> tables;
  for (const PageSection& section : page.sections)
    for (const PageBlock& block : section.blocks)
      if (const auto* table = std::get_if<PageTable>(&block)) tables.push_back(&table->table);
  return tables;
}

}  // namespace mlsim::reports
