#include "core/profile/collective_name.hpp"

#include <fmt/format.h>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"

namespace mlsim {
namespace {

constexpr std::string_view kPayload = "payload";
constexpr double kMostBytes = 1e15;  // of a payload; sizes beyond are slips of the keyboard

Bytes payload_of(const std::string& kind, const std::string& options) {
  const auto equals = options.find('=');
  const std::string key = options.substr(0, equals);
  if (key != kPayload) throw InputError(unknown_word("parameter of " + kind, key, {std::string(kPayload)}));
  if (equals == std::string::npos || equals + 1 == options.size())
    throw InputError(fmt::format("needs the payload of a rank: {}:payload=1MiB", kind));
  const Bytes payload = parse_quantity<Bytes>(options.substr(equals + 1));
  if (!(payload.value >= 1 && payload.value <= kMostBytes))
    throw InputError(fmt::format("a payload is from 1 B to 1 PB, not {}", options.substr(equals + 1)));
  return payload;
}

}  // namespace

const std::vector<std::string>& lone_collectives() {
  static const std::vector<std::string> kinds{"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"};
  return kinds;
}

bool names_collective(const std::string& workload) {
  const auto colon = workload.find(':');
  return name_among(lone_collectives(), workload.substr(0, colon)) ||
         (colon != std::string::npos && workload.compare(colon + 1, kPayload.size(), kPayload) == 0);
}

CollectiveName parse_collective_name(const std::string& workload) {
  const auto colon = workload.find(':');
  const std::string head = workload.substr(0, colon);
  const auto kind = name_among(lone_collectives(), head);
  if (!kind) throw InputError(unknown_word("collective", head, lone_collectives()));
  try {
    const std::string options = colon == std::string::npos ? std::string(kPayload) : workload.substr(colon + 1);
    return {parse<CollectiveKind>(*kind), payload_of(*kind, options)};
  } catch (const InputError& e) {
    throw InputError(workload, e.reason());
  }
}

std::string to_text(const CollectiveName& name) {
  return fmt::format("{}:payload={:.15g}B", mlsim::name(name.kind), name.payload.value);
}

}  // namespace mlsim
