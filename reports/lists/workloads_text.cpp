#include "reports/lists/workloads_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/units_text.hpp"
#include "reports/natural_order.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {
namespace {

// Three decimals up to 1000, where counts are compared with published ones.
std::string gmac_text(std::int64_t macs) {
  const double value = static_cast<double>(macs) / 1e9;
  return value < 1000 ? fmt::format("{:.3f}", value) : count_text(value);
}

}  // namespace

std::string workloads_text(std::vector<Model> models) {
  TextTable table{{{"name", Align::left, true},
                   {"parameters", Align::right, true},
                   {"tensors", Align::right, true},
                   {"GMAC", Align::right, true},
                   {"title [benchmark]"}},
                  {}};
  std::sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
  for (const Model& model : models) {
    table.rows.push_back({model.name, count_text(static_cast<double>(model.parameters())),
                          std::to_string(model.gradient_tensors()), gmac_text(model.macs()),
                          model.title + (model.benchmark.empty() ? "" : fmt::format(" [{}]", model.benchmark))});
  }
  return with_note(
      table,
      "Tensors are gradient tensors; GMAC are 10^9 forward multiply-accumulates per sample. A model with "
      "a benchmark has recipes and so a time to target: `mlsim list recipes`. Parameters of a model's file "
      "are set behind a colon, bert-large:sequence=128.");
}

}  // namespace mlsim::reports
