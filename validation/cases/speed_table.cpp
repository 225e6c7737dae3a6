#include "validation/cases/speed_table.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "validation_files.hpp"

namespace mlsim::validation {
namespace {

using sim::SpeedEffects;
using sim::SpeedPopulation;

constexpr const char* kTable = "derived/speed_effects.csv";
constexpr std::array kPopulations{"graph networks", "tpus", "others"};
static_assert(kPopulations.size() == sim::kSpeedPopulations);
constexpr std::array kTraits{"chip",
                             "sort",
                             "sort and format",
                             "family",
                             "family and format",
                             "software",
                             "network",
                             "chip and network",
                             "network and format"};
static_assert(kTraits.size() == sim::kSpeedTraits);
constexpr const char *kRuns = "runs", *kMean = "mean", *kUsualSoftware = "usual software",
                     *kUsualNetwork = "usual network";

// Names the maps of effects as the table does.
template <class Effects>  // SpeedEffects, const or not
auto named_effects(Effects& effects) {
  auto* const first = &effects.usual_software;
  std::map<std::string, decltype(first)> named{{kUsualSoftware, first}, {kUsualNetwork, &effects.usual_network}};
  for (std::size_t t = 0; t < kTraits.size(); ++t) named.emplace(kTraits[t], &effects.of_trait[t]);
  return named;
}

}  // namespace

std::string speed_effects_csv(const Evidence& runs) {
  std::string text = "population,effect,level,value\n";
  for (std::size_t p = 0; p < kPopulations.size(); ++p) {
    const SpeedEffects effects = fit_speeds(runs, SpeedPopulation(p));
    const auto line = [&](const std::string& effect, const std::string& level, double value) {
      text += fmt::format("{},{},{},{:.17g}\n", kPopulations[p], effect, csv_field(level), value);
    };
    line(kRuns, "", double(effects.runs));
    line(kMean, "", effects.mean);
    for (const auto& [effect, levels] : named_effects(effects))
      for (const auto& [level, value] : *levels) line(effect, level, value);
  }
  return text;
}

SpeedEffects stored_speed_effects(SpeedPopulation population) {
  SpeedEffects effects;
  const auto named = named_effects(effects);
  for (const CsvRow& row : parse_csv(file_at(validation_files(), kTable).text, kTable).rows) {
    const std::string &effect = row.fields.at(1), &level = row.fields.at(2);
    if (row.fields.at(0) != kPopulations[std::size_t(population)]) continue;
    const double value = parse_number(row.fields.at(3));
    if (effect == kRuns) {
      effects.runs = static_cast<std::size_t>(value);
    } else if (effect == kMean) {
      effects.mean = value;
    } else {
      named.at(effect)->emplace(level, value);
    }
  }
  return effects;
}

}  // namespace mlsim::validation
