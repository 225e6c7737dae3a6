#include "calibrate/collectives/payload_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {

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

}  // namespace mlsim::calibrate
