#include "sim/options/options.hpp"

#include <tuple>

namespace mlsim::sim {

Sourced<double> usual_pue() {
  return {1.1, {Provenance::published, "Touvron et al., arXiv:2302.13971, section 6: PUE of Meta's halls", "2023"}};
}

Sourced<double> usual_carbon_intensity() {
  return {0.385, {Provenance::published, "Touvron et al., arXiv:2302.13971, section 6: US national average", "2023"}};
}

const std::vector<FailureRecord>& failure_records() {
  const auto record = [](const char* name, double accelerator_hours, const char* source, const char* date) {
    return FailureRecord{name, {hours(accelerator_hours), {Provenance::published, source, date}}};
  };
  static const std::vector<FailureRecord> all{
      // These are interruptions of GPUs, hosts, network and software together.
      record("llama3", 16384 * 54 * 24 / 419.0,
             "419 unexpected interruptions of 16 384 H100 in 54 days, Llama 3, arXiv:2407.21783", "2024"),
      record("rsc-1", 8 * 1000 * 24 / 6.5, "6.5 failures in 1000 node days of 8 A100, Kokolis et al., arXiv:2410.21680",
             "2024"),
      record("rsc-2", 8 * 1000 * 24 / 2.3, "2.3 failures in 1000 node days of 8 A100, Kokolis et al., arXiv:2410.21680",
             "2024"),
      record("b200-504", 504 * 55 * 24 / 10.0, "10 GPU failures of 504 B200 in 55 days, arXiv:2605.09370", "2026")};
  return all;
}

Sourced<Seconds> usual_restart_time() {
  return {Seconds(600), {Provenance::assumed, "detection, replacement, initialisation and reading the checkpoint", ""}};
}

Sourced<Seconds> usual_repair_time() {
  return {hours(72),
          {Provenance::assumed, "hardware is replaced within 3 to 5 days in Arfeen et al., arXiv:2504.06095", "2025"}};
}

Sourced<Seconds> usual_teardown() { return {Seconds(0), {Provenance::assumed, "machines are returned at once", ""}}; }

Defects DefectOptions::all() const {
  Defects defects{slow_links, slow_ranks, slow_hosts};
  defects.links.insert(defects.links.end(), failed_links.begin(), failed_links.end());
  return defects;
}

bool Options::operator==(const Options& other) const {
  const auto parts = [](const Options& o) {
    return std::tie(o.software, o.memory, o.exchange, o.parallelism, o.input, o.job, o.failures, o.price, o.energy,
                    o.defects, o.stragglers);
  };
  return parts(*this) == parts(other);
}

}  // namespace mlsim::sim
