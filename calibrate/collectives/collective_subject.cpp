#include "calibrate/collectives/collective_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "core/kernel/half.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {
namespace {

const std::vector<std::string>& measured_kind_names() {
  static const std::vector<std::string> names{"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"};
  return names;
}

std::string one_of(const char* what, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end()) throw InputError(unknown_word(what, word, known));
  return word;
}

Bytes payload(const std::string& word) {
  const double bytes = parse_number(word);
  // 2^53 is the largest whole number of which a double holds every smaller one.
  if (bytes < 1 || bytes > 0x1p53 || bytes != static_cast<double>(static_cast<long long>(bytes)))
    throw InputError("a payload of \"" + word + "\" bytes is no positive whole number");
  return Bytes(bytes);
}

bool has_parts(CollectiveKind kind) {
  return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_gather ||
         kind == CollectiveKind::all_to_all;
}

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

CollectiveSubject parse_collective_subject(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  const std::string first = one_of("subject", words.empty() ? "" : words.front(), {"collective", "point-to-point"});
  const bool collective = first == "collective";
  if (words.size() != (collective ? 6u : 5u)) {
    throw InputError("\"" + text + "\" is not \"" + first + (collective ? " KIND" : "") +
                     " LIBRARY DEVICE PRECISION BYTES\"");
  }
  CollectiveSubject subject;
  auto word = words.begin() + 1;
  subject.kind = collective ? parse<CollectiveKind>(one_of("collective", *word++, measured_kind_names()))
                            : CollectiveKind::send_receive;
  subject.communicator = one_of("library", *word++, {"mpi", "gloo", "nccl"});
  subject.device = one_of("device", *word++, {"cpu", "cuda"});
  subject.precision = parse<Precision>(one_of("precision of a collective", *word++, {"fp32", "fp16"}));
  subject.payload = payload(*word);
  return subject;
}

std::string to_text(const CollectiveSubject& subject) {
  const bool collective = subject.kind != CollectiveKind::send_receive;
  return fmt::format("{} {} {} {} {:.0f}",
                     collective ? fmt::format("collective {}", name(subject.kind)) : std::string("point-to-point"),
                     subject.communicator, subject.device, name(subject.precision), subject.payload.value);
}

std::size_t element_count(const CollectiveSubject& subject, int ranks) {
  const auto elements = static_cast<std::size_t>(subject.payload / element_size(subject.precision));
  const auto parts = has_parts(subject.kind) ? static_cast<std::size_t>(ranks) : 1;
  const std::size_t count = elements / parts * parts;
  if (count == 0) {
    throw Unavailable(fmt::format("{:.0f} bytes are less than one element of {} for each part of {} on {} ranks",
                                  subject.payload.value, name(subject.precision), name(subject.kind), ranks));
  }
  return count;
}

std::size_t sent_elements(CollectiveKind kind, std::size_t count, int ranks) {
  return kind == CollectiveKind::all_gather ? count / static_cast<std::size_t>(ranks) : count;
}

std::size_t received_elements(CollectiveKind kind, std::size_t count, int ranks) {
  return kind == CollectiveKind::reduce_scatter ? count / static_cast<std::size_t>(ranks) : count;
}

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
