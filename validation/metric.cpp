#include "validation/metric.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/errors.hpp"

namespace mlsim {
namespace {

using Units = std::vector<std::pair<std::string, double>>;  // the SI unit first

// As published tables spell them.
const Units kRate{{"samples/s", 1}, {"images/s", 1}, {"img/s", 1}, {"sequences/s", 1}};
const Units kTime{{"s", 1},    {"ms", 1e-3},    {"us", 1e-6},    {"min", 60},
                  {"h", 3600}, {"minutes", 60}, {"hours", 3600}, {"seconds", 1}};
const Units kNumber{{"1", 1}, {"x", 1}, {"percent", 0.01}, {"%", 0.01}, {"fraction", 1}, {"ratio", 1}};
const Units kMoney{{"USD", 1}};
const Units kBandwidth{{"B/s", 1}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"Gbit/s", 1.25e8}, {"Mbit/s", 1.25e5}};

const Units& units(Metric metric) {
  switch (metric) {
    case Metric::throughput: return kRate;
    case Metric::step_time:
    case Metric::time_to_accuracy:
    case Metric::all_reduce_time: return kTime;
    case Metric::cost: return kMoney;
    case Metric::bus_bandwidth: return kBandwidth;
    case Metric::speedup:
    case Metric::scaling_efficiency:
    case Metric::price_ratio: break;
  }
  return kNumber;
}

}  // namespace

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names{"throughput",  "speedup",          "scaling_efficiency",
                                              "step_time",   "time_to_accuracy", "cost",
                                              "price_ratio", "all_reduce_time",  "bus_bandwidth"};
  return names;
}

std::string_view name(Metric metric) { return metric_names()[static_cast<std::size_t>(metric)]; }

Metric parse_metric(std::string_view word) {
  const auto& names = metric_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw InputError(unknown_word("metric", word, names));
  return static_cast<Metric>(found - names.begin());
}

double unit_factor(Metric metric, std::string_view unit) {
  std::vector<std::string> known;
  for (const auto& [word, factor] : units(metric)) {
    if (word == unit) return factor;
    known.push_back(word);
  }
  throw InputError(unknown_word("unit of " + std::string(name(metric)), unit, known));
}

std::string_view si_unit(Metric metric) { return units(metric).front().first; }

}  // namespace mlsim
