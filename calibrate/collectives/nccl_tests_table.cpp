#include "calibrate/collectives/nccl_tests_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/collectives/world.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

std::string program(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce: return "all_reduce_perf";
    case CollectiveKind::reduce_scatter: return "reduce_scatter_perf";
    case CollectiveKind::all_gather: return "all_gather_perf";
    case CollectiveKind::broadcast: return "broadcast_perf";
    case CollectiveKind::all_to_all: return "alltoall_perf";
    case CollectiveKind::send_receive: return "sendrecv_perf";
    default: throw InputError(fmt::format("nccl-tests has no {}", name(kind)));
  }
}

// nccl-tests counts the elements of the buffer: the part of one rank where each has one.
double count(const CollectiveCurve& curve, Bytes payload) {
  const double elements = payload / element_size(curve.precision);
  const bool parts = curve.kind == CollectiveKind::reduce_scatter || curve.kind == CollectiveKind::all_gather ||
                     curve.kind == CollectiveKind::all_to_all;
  return parts ? elements / curve.ranks() : elements;
}

std::string type(Precision precision) {
  switch (precision) {
    case Precision::fp16: return "half";
    case Precision::bf16: return "bfloat16";
    case Precision::fp8: return "fp8_e4m3";
    default: return "float";
  }
}

// Writes a figure in `width` characters, with as many of two decimals as fit (getFloatStr of nccl-tests).
std::string figure(double value, int width) {
  for (const int decimals : {2, 1, 0}) {
    const auto text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (static_cast<int>(text.size()) <= width) return text;
  }
  return fmt::format("{:{}.1e}", value, width);
}

double bus_bandwidth(const CollectiveCurve& curve, const CollectivePoint& point) {
  return (point.payload / point.time.median).value * 1e-9 * bus_bandwidth_factor(curve.kind, curve.ranks());
}

std::string head(const CollectiveCurve& curve, const std::vector<std::string>& hosts) {
  const auto [least, most] = std::minmax_element(
      curve.points.begin(), curve.points.end(),
      [](const CollectivePoint& a, const CollectivePoint& b) { return a.time.count < b.time.count; });
  std::string text = fmt::format("# mlsim calibrate: {} by {} on {}, {} node(s) of {} rank(s)\n", name(curve.kind),
                                 curve.communicator, curve.device, curve.nodes, curve.ranks_per_node);
  text += fmt::format("# Collective test starting: {}\n", program(curve.kind));
  if (!curve.points.empty())
    text += fmt::format("# samples of a size: {} to {}; time: median of launches\n#\n", least->time.count,
                        most->time.count);
  if (!hosts.empty()) text += "# Using devices\n";
  const HostPlacement placement = placement_of(hosts);
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    text += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] {}\n", rank, 0, 0, hosts[rank],
                        placement.local_rank_of[rank], curve.device, curve.communicator);
  }
  const auto line = [](const auto&... words) {
    return fmt::format(
        "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6} \n", words...);
  };
  text += fmt::format(
      "#\n# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}           out-of-place                       in-place          \n", "",
      "", "", "", "");
  text += line("size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
               "#wrong");
  text += line("(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "");
  return text;
}

std::string row(const CollectiveCurve& curve, const CollectivePoint& point) {
  const bool sums = curve.kind == CollectiveKind::all_reduce || curve.kind == CollectiveKind::reduce_scatter;
  const int root = curve.kind == CollectiveKind::broadcast ? 0 : -1;
  return fmt::format(
      "{:12.0f}  {:12.0f}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}\n",
      point.payload.value, count(curve, point.payload), type(curve.precision), sums ? "sum" : "none", root,
      figure(point.time.median.value * 1e6, 7), figure((point.payload / point.time.median).value * 1e-9, 6),
      figure(bus_bandwidth(curve, point), 6), 0, "N/A", "N/A", "N/A", "N/A");
}

}  // namespace

std::string nccl_tests_table(const CollectiveCurve& curve, const std::vector<std::string>& hosts) {
  std::string text = head(curve, hosts);
  double sum = 0;
  for (const auto& point : curve.points) {
    text += row(curve, point);
    sum += bus_bandwidth(curve, point);
  }
  const double average = curve.points.empty() ? 0 : sum / static_cast<double>(curve.points.size());
  text += fmt::format("# {:<20} : {} {}\n", "Out of bounds values", 0, "OK");
  text += fmt::format("# {:<20} : {:g} \n#\n", "Avg bus bandwidth", average);
  return text + fmt::format("# Collective test concluded: {}\n", program(curve.kind));
}

}  // namespace mlsim::calibrate
