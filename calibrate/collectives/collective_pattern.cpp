#include "calibrate/collectives/collective_pattern.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "calibrate/collectives/collective_subject.hpp"
#include "core/kernel/half.hpp"

namespace mlsim::calibrate {
namespace {

constexpr std::size_t kPeriod = 61;
constexpr std::size_t kRankStep = 7;  // any number that is no multiple of the period tells ranks apart

double element(const std::byte* bytes, Precision precision) {
  if (precision == Precision::fp16) {
    HalfBits half;
    std::memcpy(&half, bytes, sizeof half);
    return float_of_half(half);
  }
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void set_element(std::byte* bytes, Precision precision, double value) {
  const auto single = static_cast<float>(value);
  const HalfBits half = half_of_float(single);
  if (precision == Precision::fp16)
    std::memcpy(bytes, &half, sizeof half);
  else
    std::memcpy(bytes, &single, sizeof single);
}

// Returns the sums over all ranks, by index modulo the period.
std::array<double, kPeriod> pattern_sums(int ranks) {
  std::array<double, kPeriod> sums{};
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < kPeriod; ++i) sums[i] += pattern(rank, i);
  return sums;
}

// Returns what element `index` of the receive buffer must be. `sums` are those of pattern_sums.
double expected(const CollectiveCase& collective, const std::array<double, kPeriod>& sums, std::size_t index) {
  const std::size_t part = collective.count / static_cast<std::size_t>(collective.ranks);
  const auto rank = static_cast<std::size_t>(collective.rank);
  switch (collective.kind) {
    case CollectiveKind::all_reduce: return sums[index % kPeriod];
    case CollectiveKind::reduce_scatter: return sums[(rank * part + index) % kPeriod];
    case CollectiveKind::all_gather: return pattern(static_cast<int>(index / part), index % part);
    case CollectiveKind::all_to_all: return pattern(static_cast<int>(index / part), rank * part + index % part);
    case CollectiveKind::send_receive: return pattern(collective.rank == 0 ? collective.ranks - 1 : 0, index);
    default: return pattern(0, index);  // broadcast
  }
}

}  // namespace

double pattern(int rank, std::size_t index) {
  return static_cast<double>((index + kRankStep * static_cast<std::size_t>(rank)) % kPeriod);
}

std::vector<std::byte> sent_bytes(const CollectiveCase& collective) {
  const auto size = static_cast<std::size_t>(element_size(collective.precision).value);
  std::vector<std::byte> bytes(sent_elements(collective.kind, collective.count, collective.ranks) * size);
  for (std::size_t i = 0; i * size < bytes.size(); ++i)
    set_element(&bytes[i * size], collective.precision, pattern(collective.rank, i));
  return bytes;
}

double received_error(const CollectiveCase& collective, std::span<const std::byte> received) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (collective.kind == CollectiveKind::send_receive && collective.rank != 0 &&
      collective.rank != collective.ranks - 1)
    return 0;
  const auto size = static_cast<std::size_t>(element_size(collective.precision).value);
  if (received.size() != received_elements(collective.kind, collective.count, collective.ranks) * size) return kWrong;
  const auto sums = pattern_sums(collective.ranks);
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i * size < received.size(); ++i) {
    const double wanted = expected(collective, sums, i), got = element(&received[i * size], collective.precision);
    if (!std::isfinite(got)) return kWrong;
    difference = std::max(difference, std::abs(got - wanted));
    largest = std::max(largest, std::abs(wanted));
  }
  // A payload of a single 0 has no scale of its own.
  return difference / std::max(largest, 1.0);
}

}  // namespace mlsim::calibrate
