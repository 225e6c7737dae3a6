#include "reports/markdown_table.hpp"

namespace mlsim::reports {

std::string markdown_row(const std::vector<std::string>& fields) {
  std::string row;
  for (const std::string& field : fields) row += "| " + field + " ";
  return row + "|\n";
}

std::string markdown_head(const std::vector<std::string>& headings) {
  std::string rule;
  for (std::size_t i = 0; i < headings.size(); ++i) rule += "|---";
  return markdown_row(headings) + rule + "|\n";
}

}  // namespace mlsim::reports
