#include "workloads/initialisation/initialisation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "workloads_files.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::string_view kStartFile = "initialisation.yaml";

using StartNetwork = FrameworkStart::Network;

StartNetwork read_start_network(const Document& at) {
  at.allow_only({"benchmark", "time", "machines", "source"});
  return {at.at("benchmark").text(), at.at("time").quantity<Seconds>(), at.at("machines").count(),
          at.at("source").text()};
}

Sourced<Seconds> read_per_machine(const Document& at) {
  at.allow_only({"value", "provenance", "source"});
  const Seconds time = at.at("value").quantity<Seconds>();
  if (time < Seconds(0)) throw at.error("must not be negative");
  return {time, {at.at("provenance").word<Provenance>(), at.at("source").text(), {}}};
}

FrameworkStart read_framework(const Document& at, const std::vector<FrameworkStart>& above) {
  at.allow_only({"name", "stacks", "networks_of", "per_machine", "networks"});
  FrameworkStart framework;
  framework.name = at.at("name").text();
  for (const Document& stack : at.at("stacks").items()) framework.stacks.push_back(stack.text());
  if (at.has("networks_of")) {
    std::vector<std::string> names;
    for (const FrameworkStart& other : above) names.push_back(other.name);
    framework.networks_of = at.at("networks_of").word("framework", names);
  }
  framework.per_machine = read_per_machine(at.at("per_machine"));
  for (const Document& item : at.at("networks").items()) framework.networks.push_back(read_start_network(item));
  if (framework.networks.empty() && framework.networks_of.empty())
    throw at.error("needs networks, or networks_of a framework above");
  return framework;
}

FamilyStart read_family(const Document& at, std::size_t times) {
  at.allow_only({"family", "times"});
  FamilyStart family{at.at("family").text(), {}};
  for (const Document& time : at.at("times").items()) family.times.push_back(time.quantity<Seconds>());
  if (family.times.size() != times) throw at.error(fmt::format("needs {} times, one for each size", times));
  return family;
}

void read_medians(const Document& at, InitialisationCatalogue& catalogue) {
  at.allow_only({"source", "sizes", "families"});
  catalogue.family_source = {Provenance::published, at.at("source").text(), {}};
  for (const Document& size : at.at("sizes").items()) catalogue.sizes.push_back(size.count());
  for (const Document& item : at.at("families").items())
    catalogue.families.push_back(read_family(item, catalogue.sizes.size() + 1));
  if (catalogue.families.empty()) throw at.error("needs at least one family");
}

const StartNetwork* network_in(const FrameworkStart& framework, const std::string& benchmark) {
  const auto found = std::find_if(framework.networks.begin(), framework.networks.end(),
                                  [&](const StartNetwork& network) { return network.benchmark == benchmark; });
  return found == framework.networks.end() ? nullptr : &*found;
}

// Returns the network of the median time, for one that neither the framework nor those that stand in for it know.
const StartNetwork& median_network(const FrameworkStart& framework) {
  std::vector<const StartNetwork*> all;
  for (const StartNetwork& network : framework.networks) all.push_back(&network);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(),
                   [](const StartNetwork* a, const StartNetwork* b) { return a->time < b->time; });
  return **middle;
}

// Writes "96.95 s on 2 machines, MLPerf v0.7 Google tpu-v4-16-TF".
std::string network_text(const StartNetwork& network, bool stands_in) {
  return fmt::format(
      "{}{} on {}, {}",
      stands_in ? fmt::format("no log of this network; that of {} is the median: ", network.benchmark) : std::string(),
      to_text(network.time), network.machines == 1 ? "1 machine" : fmt::format("{} machines", network.machines),
      network.source);
}

std::string growth_text(const FrameworkStart& framework) {
  const Sourced<Seconds>& each = framework.per_machine;
  if (each.value == Seconds(0)) return "; on any number of machines: " + each.source.source;
  return fmt::format("; {} for each machine more: {}", to_text(each.value), each.source.source);
}

}  // namespace

const FrameworkStart& InitialisationCatalogue::framework(const std::string& stack) const {
  const FrameworkStart* found = &frameworks.front();
  std::size_t longest = 0;
  for (const FrameworkStart& framework : frameworks) {
    for (const std::string& stem : framework.stacks) {
      if (stem.size() <= longest || (stack != stem && !goes_on_from(stack, stem))) continue;
      longest = stem.size();
      found = &framework;
    }
  }
  return *found;
}

Initialisation InitialisationCatalogue::initialisation(const ProgramStart& start) const {
  if (start.family != "tpu") {
    const auto known = std::find_if(families.begin(), families.end(),
                                    [&](const FamilyStart& family) { return family.family == start.family; });
    const FamilyStart& family = known == families.end() ? families.back() : *known;
    const auto size = std::lower_bound(sizes.begin(), sizes.end(), start.accelerators) - sizes.begin();
    return {family.times[static_cast<std::size_t>(size)], "", family_source};
  }
  const FrameworkStart& framework = this->framework(start.stack);
  const FrameworkStart* logged = &framework;
  while (network_in(*logged, start.benchmark) == nullptr && !logged->networks_of.empty())
    logged = &*std::find_if(frameworks.begin(), frameworks.end(),
                            [&](const FrameworkStart& other) { return other.name == logged->networks_of; });
  const StartNetwork* own = network_in(*logged, start.benchmark);
  const StartNetwork& network = own != nullptr ? *own : median_network(*logged);
  const Seconds grown = framework.per_machine.value * static_cast<double>(start.machines - network.machines);
  std::string source = network_text(network, own == nullptr);
  if (logged != &framework) source += " with " + logged->name;
  source += growth_text(framework);
  return {max(Seconds(0), network.time + grown), framework.name, {Provenance::fitted, source, {}}};
}

InitialisationCatalogue parse_initialisation(const Document& document) {
  document.allow_only({"frameworks", "medians"});
  InitialisationCatalogue catalogue;
  for (const Document& item : document.at("frameworks").items())
    catalogue.frameworks.push_back(read_framework(item, catalogue.frameworks));
  if (catalogue.frameworks.empty()) throw document.error("needs at least one framework");
  read_medians(document.at("medians"), catalogue);
  return catalogue;
}

const InitialisationCatalogue& initialisation_catalogue() {
  static const InitialisationCatalogue catalogue = parse_initialisation(
      Document::embedded(file_at(workloads_files(), kStartFile), "workloads/catalogue/initialisation.yaml"));
  return catalogue;
}

}  // namespace mlsim::workloads
