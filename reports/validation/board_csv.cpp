#include "reports/validation/board_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace mlsim::reports {
namespace {

std::string row(const CaseResult& r) {
  return fmt::format("{},{},{},{:.4g},{},{}\n", r.what.id, name(r.what.metric), name(r.what.role), r.what.value,
                     r.predicted ? fmt::format("{:.4g}", *r.predicted) : "refused",
                     !r.interval ? "-"
                     : r.holds() ? "yes"
                                 : "no");
}

}  // namespace

std::string board_csv(const ValidationReport& report) {
  std::vector<std::string> rows;
  for (const CaseResult& r : report.cases) rows.push_back(row(r));
  std::sort(rows.begin(), rows.end());
  return fmt::format("id,metric,role,published,predicted,held\n{}", fmt::join(rows, ""));
}

}  // namespace mlsim::reports
