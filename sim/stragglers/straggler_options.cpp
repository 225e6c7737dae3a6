#include "sim/stragglers/straggler_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/text_file.hpp"
#include "core/text/units_text.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

constexpr double kShortestStep = 0.01;  // a normal tail that reaches 0 would be a step that takes no time
constexpr double kLargestSpread = 0.5;  // beyond it a normal of mean 1 would mostly be cut

// The names follow the order of JitterShape, without none.
const std::vector<std::string>& jitter_shapes() {
  static const std::vector<std::string> shapes{"normal", "exponential", "lognormal", "samples"};
  return shapes;
}

std::vector<double> read_samples(const std::string& path) {
  std::vector<double> samples;
  int number = 0;
  for (const auto& line : split(read_text_file(path), '\n')) {
    ++number;
    const std::string text(line.substr(0, line.find('#')));
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    const std::string figure = text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
    double value = 0;
    try {
      value = parse_number(figure);
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}:{}: {}", path, number, e.reason()));
    }
    if (value <= 0) throw InputError(fmt::format("{}:{}: a step time is positive, not {}", path, number, figure));
    samples.push_back(value);
  }
  if (samples.size() < 2) throw InputError(fmt::format("{}: holds fewer than two step times", path));
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  for (double& sample : samples) sample /= mean;
  std::sort(samples.begin(), samples.end());
  return samples;
}

double parse_spread(const std::string& text) {
  const double spread = parse_number(text);
  if (spread < 0 || spread > kLargestSpread)
    throw InputError(fmt::format("the spread is a share of the compute time, 0 to {:g}, not {}", kLargestSpread, text));
  return spread;
}

constexpr Seconds kLongestSkew = hours(1);
constexpr double kLargestSigma = 5;

// The names follow the order of InputSkewShape, without none.
const std::vector<std::string>& skew_shapes() {
  static const std::vector<std::string> shapes{"normal", "exponential", "lognormal"};
  return shapes;
}

}  // namespace

double Jitter::factor(double share) const {
  switch (shape) {
    case JitterShape::none: return 1;
    case JitterShape::normal: return std::max(kShortestStep, 1 + spread * normal_quantile(share));
    case JitterShape::exponential: return std::max(kShortestStep, 1 + spread * (-std::log1p(-share) - 1));
    case JitterShape::lognormal: return std::exp(spread * normal_quantile(share) - spread * spread / 2);
    case JitterShape::samples: break;
  }
  const auto at = static_cast<std::size_t>(share * static_cast<double>(samples.size()));
  return samples[std::min(at, samples.size() - 1)];
}

Jitter parse_jitter(const std::string& text) {
  const auto& shapes = jitter_shapes();
  const auto colon = text.find(':');
  const std::string shape = text.substr(0, colon);
  const auto known = std::find(shapes.begin(), shapes.end(), shape);
  if (known == shapes.end()) throw InputError(unknown_word("distribution", shape, shapes));
  if (colon == std::string::npos || colon + 1 == text.size())
    throw InputError(shape == "samples" ? "write the file of step times after a colon, as in samples:steps.txt"
                                        : fmt::format("write the spread after a colon, as in {}:0.02", shape));
  const std::string rest = text.substr(colon + 1);
  Jitter jitter;
  jitter.shape = static_cast<JitterShape>(1 + (known - shapes.begin()));
  if (jitter.shape == JitterShape::samples) {
    jitter.samples = read_samples(rest);
    jitter.file = rest;
  } else {
    jitter.spread = parse_spread(rest);
  }
  return jitter;
}

std::string text(const Jitter& jitter) {
  if (jitter.shape == JitterShape::none) return {};
  const std::string& shape = jitter_shapes()[static_cast<std::size_t>(jitter.shape) - 1];
  return jitter.shape == JitterShape::samples ? fmt::format("{}:{}", shape, jitter.file)
                                              : fmt::format("{}:{}", shape, jitter.spread);
}

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
