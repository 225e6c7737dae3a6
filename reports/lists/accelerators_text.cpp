#include "reports/lists/accelerators_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/units_text.hpp"
#include "reports/natural_order.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {
namespace {

// In TFLOP/s; "-" where the chip lacks the format.
std::string peak_text(const AcceleratorSpec& spec, Precision format) {
  const auto found = spec.peak.find(format);
  return found == spec.peak.end() ? "-" : fmt::format("{:.4g}", found->second.value.value / 1e12);
}

}  // namespace

std::string accelerators_text(std::vector<AcceleratorSpec> accelerators) {
  std::sort(accelerators.begin(), accelerators.end(),
            [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
  constexpr std::array kFormats{Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8};
  TextTable table{{{"name", Align::left, true}}, {}};
  for (const auto format : kFormats) table.columns.push_back({std::string(name(format)), Align::right, true});
  table.columns.push_back({"SMs", Align::right, true});
  table.columns.push_back({"memory", Align::right, true});
  table.columns.push_back({"bandwidth", Align::right, true});
  table.columns.push_back({"title"});
  for (const AcceleratorSpec& spec : accelerators) {
    std::vector<std::string> row{spec.name};
    for (const auto format : kFormats) row.push_back(peak_text(spec, format));
    row.push_back(spec.multiprocessors.value > 0 ? std::to_string(spec.multiprocessors.value) : "-");
    row.insert(row.end(), {to_text(spec.memory.value), to_text(spec.memory_bandwidth.value), spec.title});
    table.rows.push_back(std::move(row));
  }
  return with_note(
      table,
      "Peak rates by format are in TFLOP/s, without sparsity, from data sheets. SMs are the multiprocessors "
      "of a GPU (compute units of AMD's).");
}

}  // namespace mlsim::reports
