#include "sim/stragglers/input_skew.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

constexpr Seconds kLongestSkew = hours(1);
constexpr double kLargestSigma = 5;

// The names follow the order of InputSkewShape, without none.
const std::vector<std::string>& skew_shapes() {
  static const std::vector<std::string> shapes{"normal", "exponential", "lognormal"};
  return shapes;
}

}  // namespace

Seconds InputSkew::delay(double share) const {
  switch (shape) {
    case InputSkewShape::none: break;
    case InputSkewShape::normal: return scale * std::max(0.0, normal_quantile(share));
    case InputSkewShape::exponential: return scale * -std::log1p(-share);
    case InputSkewShape::lognormal: return scale * std::exp(sigma * normal_quantile(share));
  }
  return Seconds(0);
}

InputSkew parse_input_skew(const std::string& text) {
  const auto& shapes = skew_shapes();
  std::vector<std::string> parts;
  for (const auto& part : split(text, ':')) parts.emplace_back(part);
  const auto known = std::find(shapes.begin(), shapes.end(), parts.front());
  if (known == shapes.end()) throw InputError(unknown_word("distribution", parts.front(), shapes));
  InputSkew skew;
  skew.shape = static_cast<InputSkewShape>(1 + (known - shapes.begin()));
  const bool lognormal = skew.shape == InputSkewShape::lognormal;
  if (parts.size() != (lognormal ? 3U : 2U))
    throw InputError(fmt::format("write it as {}",
                                 lognormal ? "lognormal:2 ms:0.5, the median and the sigma" : parts.front() + ":2 ms"));
  skew.scale = parse_quantity<Seconds>(parts[1]);
  if (skew.scale < Seconds(0) || skew.scale > kLongestSkew)
    throw InputError(fmt::format("a host's delay is 0 s to {}, not {}", to_text(kLongestSkew), parts[1]));
  if (!lognormal) return skew;
  skew.sigma = parse_number(parts[2]);
  if (skew.sigma < 0 || skew.sigma > kLargestSigma)
    throw InputError(fmt::format("the sigma of a lognormal is 0 to {:g}, not {}", kLargestSigma, parts[2]));
  return skew;
}

std::string text(const InputSkew& skew) {
  if (skew.shape == InputSkewShape::none) return {};
  const std::string scale =
      fmt::format("{}:{} s", skew_shapes()[static_cast<std::size_t>(skew.shape) - 1], skew.scale.value);
  return skew.shape == InputSkewShape::lognormal ? fmt::format("{}:{}", scale, skew.sigma) : scale;
}

}  // namespace mlsim::sim
