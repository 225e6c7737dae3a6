#include "calibrate/import/nccl_tests_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

struct Program {
  std::string_view name;
  std::optional<CollectiveKind> kind;
};

// Every rank of sendrecv_perf sends to the next and receives from the one before.
constexpr std::array kPrograms{Program{"all_reduce_perf", CollectiveKind::all_reduce},
                               Program{"reduce_scatter_perf", CollectiveKind::reduce_scatter},
                               Program{"all_gather_perf", CollectiveKind::all_gather},
                               Program{"broadcast_perf", CollectiveKind::broadcast},
                               Program{"alltoall_perf", CollectiveKind::all_to_all},
                               Program{"sendrecv_perf", CollectiveKind::send_receive},
                               Program{"alltoallv_perf", std::nullopt},
                               Program{"reduce_perf", std::nullopt},
                               Program{"gather_perf", std::nullopt},
                               Program{"scatter_perf", std::nullopt},
                               Program{"hypercube_perf", std::nullopt}};

struct Type {
  std::string_view name;
  Precision precision;
};
constexpr std::array kTypes{Type{"float", Precision::fp32},    Type{"half", Precision::fp16},
                            Type{"bfloat16", Precision::bf16}, Type{"f8e4m3", Precision::fp8},
                            Type{"f8e5m2", Precision::fp8},    Type{"int8", Precision::int8},
                            Type{"uint8", Precision::int8}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// Rounding to two decimals can change the ratio of two figures by this, and narrower formats by a thousandth.
double ratio_tolerance(double algorithm, double bus) { return 0.005 / algorithm + 0.005 / bus + 1e-3; }

}  // namespace

std::string program_in(std::string_view line) {
  for (const auto& program : kPrograms) {
    const auto at = line.find(program.name);
    if (at == std::string_view::npos || (at > 0 && is_letter(line[at - 1])))
      continue;  // all_reduce_perf, not reduce_perf
    return std::string(program.name);
  }
  return {};
}

std::string library_on(const std::string& device) {
  return device.find("AMD") != std::string::npos || device.find("Instinct") != std::string::npos ? "rccl" : "nccl";
}

CollectiveKind kind_of(const std::string& program, const ImportHints& hints, const std::string& place) {
  if (program.empty()) {
    if (hints.kind) return *hints.kind;
    throw InputError(place,
                     "does not name the collective that it timed, as nccl-tests before 2.17 do not; say "
                     "collective=all-reduce or another after a colon behind the file");
  }
  const auto found =
      std::find_if(kPrograms.begin(), kPrograms.end(), [&](const Program& p) { return p.name == program; });
  if (!found->kind) throw InputError(place, fmt::format("is of {}, a collective that mlsim does not have", program));
  if (hints.kind && *hints.kind != *found->kind)
    throw InputError(place, fmt::format("is of {}, not of {} as asked", program, name(*hints.kind)));
  return *found->kind;
}

Precision precision_of(const std::string& type, const ImportHints& hints, const std::string& place) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& t) { return t.name == type; });
  if (found == kTypes.end()) {
    std::vector<std::string> known;
    for (const auto& t : kTypes) known.emplace_back(t.name);
    throw InputError(place, unknown_word("element type", type, known));
  }
  if (hints.precision && *hints.precision != found->precision)
    throw InputError(place, fmt::format("is of {}, not of {} as asked", type, name(*hints.precision)));
  return found->precision;
}

void check_bandwidths(double algorithm, double bus, CollectiveKind kind, int ranks, const std::string& place) {
  if (algorithm < 1 || bus <= 0) return;  // too few digits
  const double expected = bus_bandwidth_factor(kind, ranks), printed = bus / algorithm;
  if (std::abs(printed / expected - 1) <= ratio_tolerance(algorithm, bus)) return;
  throw InputError(place, fmt::format("bus over algorithm bandwidth is {:.3f}, but {} over {} ranks has {:.3f}",
                                      printed, name(kind), ranks, expected));
}

}  // namespace mlsim::calibrate
