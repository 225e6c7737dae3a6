#include "sim/stragglers/jitter.hpp"

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

}  // namespace mlsim::sim
