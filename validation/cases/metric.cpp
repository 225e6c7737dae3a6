#include "validation/cases/metric.hpp"

#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::validation {
namespace {

using Units = std::vector<std::pair<std::string, double>>;  // the SI unit first

// Units are spelt as published tables spell them.
const Units kRate{{"samples/s", 1}, {"images/s", 1}, {"img/s", 1}, {"sequences/s", 1}};
const Units kTime{{"s", 1},    {"ms", 1e-3},    {"us", 1e-6},    {"min", 60},
                  {"h", 3600}, {"minutes", 60}, {"hours", 3600}, {"seconds", 1}};
const Units kNumber{{"1", 1}, {"x", 1}, {"percent", 0.01}, {"%", 0.01}, {"fraction", 1}, {"ratio", 1}};
const Units kMoney{{"USD", 1}};
const Units kBandwidth{{"B/s", 1}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"Gbit/s", 1.25e8}, {"Mbit/s", 1.25e5}};

const Units kBytes{{"B", 1}, {"GB", 1e9}, {"GiB", 1073741824.0}, {"MiB", 1048576.0}};

const Units& units(Metric metric) {
  switch (quantity_of(metric)) {
    case MetricQuantity::rate: return kRate;
    case MetricQuantity::time: return kTime;
    case MetricQuantity::money: return kMoney;
    case MetricQuantity::bandwidth: return kBandwidth;
    case MetricQuantity::bytes: return kBytes;
    case MetricQuantity::number: break;
  }
  return kNumber;
}

}  // namespace

MetricQuantity quantity_of(Metric metric) {
  switch (metric) {
    case Metric::throughput: return MetricQuantity::rate;
    case Metric::step_time:
    case Metric::time_to_accuracy:
    case Metric::all_reduce_time:
    case Metric::all_to_all_time: return MetricQuantity::time;
    case Metric::cost: return MetricQuantity::money;
    case Metric::bus_bandwidth: return MetricQuantity::bandwidth;
    case Metric::memory: return MetricQuantity::bytes;
    case Metric::speedup:
    case Metric::scaling_efficiency:
    case Metric::price_ratio:
    case Metric::communication_share:
    case Metric::relative_throughput:
    case Metric::all_to_all_share:
    case Metric::all_to_all_growth: break;
  }
  return MetricQuantity::number;
}

double unit_factor(Metric metric, std::string_view unit) {
  std::vector<std::string> known;
  for (const auto& [word, factor] : units(metric)) {
    if (word == unit) return factor;
    known.push_back(word);
  }
  throw InputError(unknown_word("unit of " + std::string(name(metric)), unit, known));
}

std::optional<Metric> ratio_of(Metric metric) {
  switch (metric) {
    case Metric::speedup:
    case Metric::scaling_efficiency:
    case Metric::relative_throughput: return Metric::throughput;
    case Metric::price_ratio: return Metric::cost;
    case Metric::all_to_all_growth: return Metric::all_to_all_time;
    default: return std::nullopt;
  }
}

// Speedup and efficiency can do without: they are then against one accelerator of the same system.
bool needs_reference(Metric metric) {
  return ratio_of(metric) && metric != Metric::speedup && metric != Metric::scaling_efficiency;
}

LoneCollective lone_collective(Metric metric) {
  if (metric == Metric::all_reduce_time || metric == Metric::bus_bandwidth) return LoneCollective::only;
  const bool also = metric == Metric::all_to_all_time || metric == Metric::all_to_all_growth;
  return also ? LoneCollective::also : LoneCollective::never;
}

std::optional<CollectiveKind> collective_of(Metric metric) {
  if (metric == Metric::all_reduce_time) return CollectiveKind::all_reduce;
  if (lone_collective(metric) == LoneCollective::also) return CollectiveKind::all_to_all;
  return std::nullopt;
}

}  // namespace mlsim::validation
