#include "calibrate/collectives/payload_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim {

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

std::vector<Bytes> nccl_tests_payloads(Bytes begin, Bytes end, double factor) {
  if (!(begin.value >= 1) || !(end >= begin) || !(factor > 1) || !std::isfinite(end.value)) {
    throw InputError(
        fmt::format("payloads from {} to {} by a factor of {} are none: they begin at one byte or more, "
                    "end no lower, and rise",
                    to_text(begin), to_text(end), factor));
  }
  std::vector<Bytes> payloads;
  for (Bytes payload = begin; payload <= end; payload = Bytes(std::ceil((payload * factor).value)))
    payloads.push_back(payload);
  return payloads;
}

std::vector<Bytes> payload_sizes(std::string_view name, Precision precision) {
  if (name == "task0") return task0_payloads(precision);
  if (name == "nccl-tests") return nccl_tests_payloads(Bytes(8), mebibytes(128), 2);
  if (name == "quick") return nccl_tests_payloads(Bytes(1024), mebibytes(16), 4);
  throw InputError(unknown_word("list of payloads", name, payload_size_names()));
}

const std::vector<std::string>& payload_size_names() {
  static const std::vector<std::string> names{"task0", "nccl-tests", "quick"};
  return names;
}

}  // namespace mlsim
