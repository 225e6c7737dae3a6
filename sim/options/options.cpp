#include "sim/options/options.hpp"

#include <tuple>

namespace mlsim::sim {

// 419 unexpected interruptions hit 16 384 H100 in 54 days, of GPUs, hosts, network and software together: that is one
// in 16 384 * 54 d / 419 = 50 700 h. Meta's RSC-1 and RSC-2 (16 000 and 8000 A100) had 6.5 and 2.3 failures in 1000
// node days, that is 29 500 and 83 500 h (Kokolis et al., arXiv:2410.21680, recalled).
Sourced<double> usual_pue() {
  return {1.1, {Provenance::published, "Touvron et al., arXiv:2302.13971, section 6: PUE of Meta's halls", "2023"}};
}

Sourced<double> usual_carbon_intensity() {
  return {0.385, {Provenance::published, "Touvron et al., arXiv:2302.13971, section 6: US national average", "2023"}};
}

Sourced<Seconds> published_time_between_failures() {
  return {hours(16384 * 54 * 24 / 419.0),
          {Provenance::published, "419 unexpected interruptions of 16 384 H100 in 54 days, Llama 3, arXiv:2407.21783",
           "2024"}};
}

Sourced<Seconds> usual_restart_time() {
  return {Seconds(600), {Provenance::assumed, "detection, replacement, initialisation and reading the checkpoint", ""}};
}

Sourced<BytesPerSecond> usual_checkpoint_bandwidth() {
  return {gigabytes_per_second(1), {Provenance::assumed, "one host writes to one NVMe disk or a fast file store", ""}};
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
