#include "sim/job/energy.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"

namespace mlsim::sim {
namespace {

ProvenanceEntry power_entry(const Cluster& cluster, const EnergyOptions& options) {
  Statement said(named_count("accelerators", cluster.ranks()), " x ",
                 named("rated_power_w", cluster.accelerator.watts.value), " W");
  if (options.load.value != 1) said.add(" x ", named_percent("load", options.load.value), " of it drawn");
  said.add("; hosts and network are not counted");
  return {"power", said, cluster.accelerator.watts.source};
}

}  // namespace

EnergyAnswer energy_answer(const EnergyOptions& options, const Cluster& cluster, std::optional<Seconds> held) {
  constexpr double kKilowattHour = 3.6e6;  // J
  const double rated = cluster.accelerator.watts.value;
  if (!(rated > 0)) return {};
  Prediction::Energy energy;
  energy.power_w = rated * options.load.value * cluster.ranks();
  energy.pue = options.pue.value;
  energy.carbon_intensity = options.carbon_intensity.value;
  if (held) {
    energy.job_j = energy.power_w * held->value * energy.pue;
    energy.carbon_kg = *energy.job_j / kKilowattHour * energy.carbon_intensity;
  }
  Notes notes{{power_entry(cluster, options),
               {"PUE", Statement(named_exact("pue", energy.pue)), options.pue.source},
               {"carbon intensity",
                {named_exact("carbon_intensity", energy.carbon_intensity), " kg of carbon dioxide (equivalent) a kWh"},
                options.carbon_intensity.source}},
              {}};
  return {energy, std::move(notes)};
}

}  // namespace mlsim::sim
