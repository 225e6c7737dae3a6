#include "cli/calibrate/sampling_options.hpp"

#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::cli {
namespace {

// The quick limit is a promised minute less what starting, fitting and a last kernel that is slow take.
constexpr Seconds kQuickLimit(45);
constexpr double kQuickNoise = 0.05;
constexpr int kQuickMinSamples = 10, kQuickMaxSamples = 100;
constexpr Seconds kQuickSample(0.5);

}  // namespace

StoppingRule stopping_rule(const CalibrateOptions& options) {
  StoppingRule rule;
  if (options.quick) rule = {kQuickNoise, kQuickMinSamples, kQuickMaxSamples, kQuickSample};
  if (!options.noise.empty()) {
    rule.noise = parsed("--noise", options.noise, parse_number);
    if (!(rule.noise > 0 && rule.noise < 1)) throw InputError("--noise", "must lie between 0 and 1, as 0.02");
  }
  return rule;
}

std::optional<Seconds> time_limit(const CalibrateOptions& options) {
  if (options.time_limit.empty()) return options.quick ? std::optional<Seconds>(kQuickLimit) : std::nullopt;
  return parsed_time_limit(options.time_limit);
}

std::uint64_t seed_of(const CalibrateOptions& options) {
  return static_cast<std::uint64_t>(
      parsed("--seed", options.seed, [](const std::string& t) { return parse_count(t, 0); }));
}

}  // namespace mlsim::cli
