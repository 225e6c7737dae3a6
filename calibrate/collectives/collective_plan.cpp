#include "calibrate/collectives/collective_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {
namespace {

// Bandwidth and latency are a guess until they are measured: a local network's 1 Gbit/s, and the latency of TCP.
constexpr BytesPerSecond kAssumedBandwidth(125e6);
constexpr Seconds kAssumedLatency = microseconds(50);

StoppingRule rule_of(const CollectiveChoices& choices) {
  StoppingRule rule = choices.rule;
  if (choices.sizes != "task0") return rule;
  rule.noise = 0;
  rule.min_samples = rule.max_samples = kTask0Repetitions;
  return rule;
}

std::vector<Bytes> payloads_of(const CollectiveChoices& choices, Precision precision) {
  if (choices.sizes.empty()) return grid_payloads(choices.grid);
  std::vector<Bytes> payloads = payload_sizes(choices.sizes, precision);
  std::erase_if(payloads, [&](Bytes payload) { return payload < choices.smallest || payload > choices.largest; });
  return payloads;
}

using Key = std::tuple<CollectiveKind, std::string, std::string, Precision>;

}  // namespace

std::vector<Bytes> task0_payloads(Precision precision) {
  constexpr int kSizes = 80;
  constexpr double kDecades = 8;
  std::vector<Bytes> payloads;
  double elements = 0;
  for (int i = 0; i < kSizes; ++i) {
    elements = std::max(std::round(std::pow(10, kDecades * i / (kSizes - 1))), elements + 1);
    payloads.push_back(elements * element_size(precision));
  }
  return payloads;
}

std::vector<Bytes> grid_payloads(const PayloadGrid& grid) {
  const auto& [begin, end, factor] = grid;
  const std::string requested =
      fmt::format("payloads from {} to {} by a factor of {}", to_text(begin), to_text(end), factor);
  if (!(begin.value >= 1) || !(end >= begin) || !(factor > 1) || !std::isfinite(end.value))
    throw InputError(requested + " are none: they begin at one byte or more, end no lower, and rise");
  std::vector<Bytes> payloads;
  for (Bytes payload = begin; payload <= end; payload = Bytes(std::ceil((payload * factor).value))) {
    if (payloads.size() == kMostPayloads)
      throw InputError(fmt::format("{} are more than {}; choose a larger factor", requested, kMostPayloads));
    payloads.push_back(payload);
  }
  return payloads;
}

Bytes parse_payload(std::string_view text) {
  constexpr std::string_view kPowers = "kmg";  // powers of 1024, as parsesize() of nccl-tests has them
  const std::size_t last = text.find_last_not_of(" \t");
  const char suffix = last == std::string_view::npos ? '0' : text[last];
  const std::size_t power = kPowers.find(static_cast<char>(std::tolower(static_cast<unsigned char>(suffix))));
  Bytes payload;
  if (power != std::string_view::npos)
    payload = parse_number(text.substr(0, last)) * Bytes(std::pow(1024.0, static_cast<double>(power + 1)));
  else
    payload = suffix >= '0' && suffix <= '9' ? Bytes(parse_number(text)) : parse_quantity<Bytes>(text);
  if (!(payload.value >= 1)) throw InputError(fmt::format("\"{}\" is less than one byte", text));
  return Bytes(std::floor(payload.value));
}

std::vector<Bytes> payload_sizes(std::string_view name, Precision precision) {
  if (name == "task0") return task0_payloads(precision);
  if (name == "nccl-tests") return grid_payloads({});
  if (name == "quick") return grid_payloads(kQuickGrid);
  throw InputError(unknown_word("list of payloads", name, payload_size_names()));
}

const std::vector<std::string>& payload_size_names() {
  static const std::vector<std::string> names{"task0", "nccl-tests", "quick"};
  return names;
}

const std::vector<CollectiveKind>& measured_kinds() {
  static const std::vector<CollectiveKind> kinds{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                                                 CollectiveKind::all_gather, CollectiveKind::broadcast,
                                                 CollectiveKind::all_to_all, CollectiveKind::send_receive};
  return kinds;
}

MeasurePlan collective_plan(const CollectiveChoices& choices) {
  MeasurePlan plan;
  for (const auto& library : choices.libraries) {
    for (const Precision precision : choices.precisions) {
      for (const Bytes payload : payloads_of(choices, precision)) {
        for (const CollectiveKind kind : choices.kinds) {
          const CollectiveSubject subject{kind, library, library == "nccl" ? "cuda" : "cpu", precision, payload};
          plan.measurements.push_back({{to_text(subject), 0, Cache::hot, rule_of(choices)},
                                       0,
                                       0,
                                       {},
                                       kAssumedLatency + payload / kAssumedBandwidth});
        }
      }
    }
  }
  if (plan.measurements.empty())
    throw InputError("--sizes", fmt::format("{} has no size from {} to {}", choices.sizes, to_text(choices.smallest),
                                            to_text(choices.largest)));
  shuffle(plan.measurements, choices.seed);
  return plan;
}

std::vector<CollectiveSweep> measured_sweeps(const std::vector<MeasureReply>& replies, RankGrid grid,
                                             const Source& source) {
  std::map<Key, std::map<Bytes, CollectivePoint>> points;
  for (const auto& reply : replies) {
    const bool collective = reply.subject.starts_with("collective ") || reply.subject.starts_with("point-to-point ");
    if (!collective || !reply.unavailable.empty()) continue;
    const CollectiveSubject subject = parse_collective_subject(reply.subject);
    // Sizes that are rounded down to whole parts may fall together; the first stands for all.
    points[{subject.kind, subject.communicator, subject.device, subject.precision}].try_emplace(
        reply.bytes, CollectivePoint{reply.bytes, reply.time, {reply.time.median}});
  }
  std::vector<CollectiveSweep> sweeps;
  for (const auto& [key, by_payload] : points) {
    const auto& [kind, library, device, precision] = key;
    CollectiveSweep sweep{kind, library, device, precision, {}, grid.nodes, grid.ranks_per_node, {}, source};
    for (const auto& [payload, point] : by_payload) sweep.points.push_back(point);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace mlsim::calibrate
