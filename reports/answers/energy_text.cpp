#include "reports/answers/answer_texts.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "reports/figure_text.hpp"
#include "topologies/price/own_price.hpp"

namespace mlsim::reports {
namespace {

// Picks the largest of four units, from small to large, that keeps the number at or above one.
std::string in_units(double value, const std::array<std::pair<double, const char*>, 4>& units) {
  const auto* chosen = &units.front();
  for (const auto& unit : units)
    if (value >= unit.first * 0.9995) chosen = &unit;
  return fmt::format("{} {}", figure_text(value / chosen->first), chosen->second);
}

}  // namespace

std::string joules_text(double joules) {
  return in_units(joules, {{{3600, "Wh"}, {3.6e6, "kWh"}, {3.6e9, "MWh"}, {3.6e12, "GWh"}}});
}

std::string watts_text(double watts) { return in_units(watts, {{{1, "W"}, {1e3, "kW"}, {1e6, "MW"}, {1e9, "GW"}}}); }

std::string carbon_text(double kilograms) {
  return in_units(kilograms, {{{1e-3, "g CO2e"}, {1, "kg CO2e"}, {1e3, "t CO2e"}, {1e6, "kt CO2e"}}});
}

std::string energy_note(const Prediction::Energy& energy) {
  const std::string carbon = energy.carbon_kg ? carbon_text(*energy.carbon_kg) + "; " : "";
  return fmt::format("{}{} of accelerators x PUE {:g}, {:g} kg a kWh", carbon, watts_text(energy.power_w), energy.pue,
                     energy.carbon_intensity);
}

std::string purchase_note(const Prediction::Purchase& purchase) {
  const std::string rent = figure_text(Usd(purchase.rent.value * 3600));
  const double years = purchase.life / hours(8766);
  if (purchase.break_even > 1)
    return fmt::format("renting at {}/h is cheaper, even if {:g} years are used in full", rent, years);
  return fmt::format("owning it is cheaper than rent at {}/h above {} of {:g} years in use", rent,
                     percent_text(purchase.break_even), years);
}

std::string own_price_text(const Prediction& prediction) {
  constexpr std::string_view kAt = " at ";
  for (const ProvenanceEntry& entry : prediction.provenance) {
    const auto found = entry.source.source.find(topologies::kGivenByUser);
    if (entry.figure != "price" || found == std::string::npos) continue;
    std::string where = entry.source.source.substr(found + topologies::kGivenByUser.size());
    where = where.substr(0, where.find_first_of(",;"));
    return where.starts_with(kAt) ? "your own, " + where.substr(kAt.size()) : "your own";
  }
  return "";
}

}  // namespace mlsim::reports
