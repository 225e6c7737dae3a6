#include "topologies/machine/bill.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/errors.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies/price/prices.hpp"

namespace mlsim::topologies {
namespace {

std::vector<std::string> resources() {
  std::vector<std::string> names;
  for (const auto& entry : price_entries())
    if (std::find(names.begin(), names.end(), entry.resource) == names.end()) names.push_back(entry.resource);
  return names;
}

std::vector<std::string> regions_of(const std::string& resource) {
  std::vector<std::string> names;
  for (const auto& entry : price_entries())
    if (entry.resource == resource) names.insert(names.end(), entry.regions.begin(), entry.regions.end());
  return names;
}

BillRule read_rule(const Document& document) {
  document.allow_only({"resource", "per", "region", "block", "at_least", "at_most", "on_demand", "preemptible",
                       "provenance", "source", "date"});
  BillRule rule;
  const std::string per = document.at("per").word("unit of price", {"accelerator", "node", "system"});
  rule.per = per == "accelerator" ? BillRule::Per::accelerator
             : per == "node"      ? BillRule::Per::node
                                  : BillRule::Per::system;
  rule.resource = document.at("resource").text();
  if (document.has("on_demand")) rule.on_demand = read_bounded<UsdPerSecond>(document.at("on_demand"));
  if (document.has("preemptible")) rule.preemptible = read_bounded<UsdPerSecond>(document.at("preemptible"));
  const bool own = rule.on_demand || rule.preemptible;
  if (!own) document.at("resource").word("resource of the price list", resources());
  if (own && document.has("region")) throw document.at("region").error("has no meaning beside a price of its own");
  if (document.has("region")) rule.region = document.at("region").word("region", regions_of(rule.resource));
  if (document.has("block")) rule.block = document.at("block").count(1, kMostParts);
  if (document.has("at_least")) rule.at_least = document.at("at_least").count(1, kMostParts);
  if (document.has("at_most")) rule.at_most = document.at("at_most").count(1, kMostParts);
  if (document.has("provenance"))
    rule.source = read_source(document);
  else if (own)
    rule.source = Source{Provenance::assumed, "stated without a source at " + document.place(), ""};
  return rule;
}

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

std::vector<BillRule> read_bill(const Document& rules) {
  std::vector<BillRule> all;
  for (const auto& rule : rules.items()) all.push_back(read_rule(rule));
  return all;
}

std::vector<BillLine> bill_for(const std::vector<BillRule>& rules, int accelerators, int nodes) {
  std::vector<BillLine> lines;
  for (const auto& rule : rules) {
    if (accelerators < rule.at_least || (rule.at_most > 0 && accelerators > rule.at_most)) continue;
    BillLine line;
    line.resource = rule.resource;
    line.count = rule.per == BillRule::Per::system ? 1
                 : rule.per == BillRule::Per::node
                     ? nodes
                     : std::ceil(static_cast<double>(accelerators) / rule.block) * rule.block;
    line.region = rule.region;
    line.on_demand = rule.on_demand;
    line.preemptible = rule.preemptible;
    if (rule.source) line.source = *rule.source;
    lines.push_back(line);
  }
  return lines;
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
