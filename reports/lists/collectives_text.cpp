#include "reports/lists/collectives_text.hpp"

#include "core/text/units_text.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {

std::string collectives_text(const std::vector<CollectiveRow>& rows, Bytes payload) {
  TextTable table{
      {{"system"}, {"collective"}, {"algorithm"}, {to_text(payload), Align::right}, {"bus bandwidth", Align::right}},
      {}};
  for (const CollectiveRow& row : rows)
    table.rows.push_back(
        {row.system, std::string(name(row.kind)), row.algorithm, to_text(row.time), to_text(row.bus_bandwidth)});
  return to_text(table);
}

}  // namespace mlsim::reports
