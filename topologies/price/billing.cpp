#include "topologies/price/billing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::topologies {
namespace {

struct Rule {
  Seconds unit, least;
  const char* source;
};
constexpr std::array<Rule, 3> kRules{{
    {Seconds(1), Seconds(60), "Google Cloud and AWS bill by the second since 2017, a minute at least, recalled"},
    {Seconds(60), Seconds(600), "Google Compute Engine until 2017: by the minute, ten minutes at least, recalled"},
    {Seconds(3600), Seconds(3600), "AWS EC2 until 2017: every begun hour, recalled"},
}};

const Rule& rule_of(Billing billing) { return kRules[static_cast<std::size_t>(billing)]; }

// Sums of seconds carry rounding errors; a unit is begun only beyond them.
constexpr double kRounding = 1e-9;

}  // namespace

const Words<Billing>& words(Billing) {
  static const Words<Billing> table{"billing unit", {"second", "minute", "hour"}};
  return table;
}

Seconds billed_time(Billing billing, Seconds held) {
  const Rule& rule = rule_of(billing);
  const double units = held / rule.unit;
  return max(rule.least, rule.unit * std::ceil(units * (1 - kRounding)));
}

Seconds held_time_for(Billing billing, Seconds paid) {
  const Rule& rule = rule_of(billing);
  if (paid < rule.least) return Seconds(0);
  return rule.unit * std::floor(paid / rule.unit * (1 + kRounding));
}

Source billing_source(Billing billing) { return {Provenance::assumed, rule_of(billing).source, ""}; }

}  // namespace mlsim::topologies
