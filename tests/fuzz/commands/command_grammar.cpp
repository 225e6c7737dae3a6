#include "command_grammar.hpp"

#include <fmt/format.h>

#include <map>

namespace mlsim::test {
namespace {

using UnitNames = std::vector<std::string>;

const UnitNames kSizes{"B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "", "b"};
const UnitNames kTimes{"s", "ms", "us", "ns", "min", "h", "d", "", "sec"};
const UnitNames kRates{"B/s", "MB/s", "GB/s", "GiB/s", "Gbit/s", "Gb/s", "Gbps", "MiB/s", ""};
const UnitNames kExtremes{"0",          "-1",   "1e308", "1e-308", "nan", "inf", "18446744073709551616",
                          "2147483647", "1e12", "0x10",  "1,5",    "",    "٣",   "\033[31m"};
const UnitNames kLinks{"x0y0-x1y0", "x0y0-x0y1", "0-1", "node0-switch", "a0-a1", "host0-leaf0"};
const UnitNames kAxes{"data", "spatial", "tensor", "pipeline", "expert", "embedding", "micro_batches"};

}  // namespace

std::string CommandGrammar::number(double usual) {
  if (chance(0.07)) return one_of(kExtremes);
  const double value = std::uniform_real_distribution<double>(0, 1)(random_) * usual;
  return chance(0.5) ? fmt::format("{}", 1 + static_cast<int>(value)) : fmt::format("{:.3g}", value);
}

std::string CommandGrammar::quantity(const Texts& units) {
  return number(200) + (chance(0.5) ? " " : "") + one_of(units);
}

std::string CommandGrammar::grid() {
  static const Texts shapes{"torus", "mesh"};
  const std::size_t largest = chance(0.02) ? 100000 : 24;
  return fmt::format("{}{}x{}", one_of(shapes), 1 + below(largest), 1 + below(24));
}

std::string CommandGrammar::topology() {
  std::string name = chance(0.3) ? grid() : one_of(words_.topologies);
  char next = ':';
  const auto option = [&](const std::string& key, const std::string& value) {
    name += next + key + "=" + value;
    next = ',';
  };
  if (chance(0.4)) option("nodes", chance(0.02) ? "20000" : number(40));
  if (chance(0.1)) option("accelerator", one_of(words_.accelerators));
  if (chance(0.1)) option(chance(0.5) ? "link_bandwidth" : "network_bandwidth", quantity(kRates));
  if (chance(0.1)) option(chance(0.5) ? "link_latency" : "network_latency", quantity(kTimes));
  if (chance(0.05)) option("oversubscription", number(4));
  if (chance(0.05)) option("per_node", number(16));
  if (chance(0.05)) option("nodes_per_leaf", number(16));
  if (chance(0.05)) option("slice", fmt::format("{}x{}", 1 + below(8), 1 + below(8)));
  if (chance(0.05)) option("wrap", one_of({"xy", "x", "y", "none"}));
  return name;
}

std::string CommandGrammar::parallelism() {
  std::string text;
  for (std::size_t i = 1 + below(3); i > 0; --i)
    text += (text.empty() ? "" : ",") + one_of(kAxes) + "=" + (chance(0.1) ? number(9) : std::to_string(1 << below(5)));
  return text;
}

std::string CommandGrammar::placeholder(const std::string& word, const std::string& key) {
  const std::map<std::string, const Texts*> units{{"SIZE", &kSizes}, {"TIME", &kTimes}, {"RATE", &kRates}};
  if (const auto found = units.find(word); found != units.end()) return quantity(*found->second);
  if (word == "NAME") {
    if (key == "stack") return one_of(words_.stacks);
    if (key == "recipe") return one_of(words_.recipes);
    if (key == "algorithm") return one_of(words_.algorithms);
    return one_of(chance(0.5) ? words_.topologies : words_.accelerators);
  }
  if (word == "PRICE") return number(90) + one_of({"USD/h", " USD/h", "USD/s", "EUR/h"});
  if (word == "AXIS") return one_of(kAxes);
  if (word == "DIMENSION") return one_of({"x", "y", "node", "accelerator"});
  if (word == "YYYY") return std::to_string(2015 + below(12));
  if (word == "MM" || word == "DD") return fmt::format("{:02}", 1 + below(13));
  if (word == "FILE") return "/dev/null";
  if (word == "FACTOR" || word == "SHARE" || word == "FRACTION" || word == "SIGMA")
    return number(chance(0.8) ? 0.9 : 2);
  return number(key == "straggler_steps" ? 300 : 20);
}

// Each run of capitals is a placeholder, but for "A-B", the ends of a link.
std::string CommandGrammar::filled(const std::string& form, const std::string& key) {
  if (form.starts_with("A-B")) return one_of(kLinks) + filled(form.substr(3), key);
  std::string text;
  for (std::size_t at = 0; at < form.size();) {
    std::size_t end = at;
    while (end < form.size() && form[end] >= 'A' && form[end] <= 'Z') ++end;
    if (end == at) {
      text += form[at++];
    } else {
      text += placeholder(form.substr(at, end - at), key);
      at = end;
    }
  }
  return text.substr(0, text.find('['));
}

std::string CommandGrammar::setting() {
  auto at = words_.settings.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(below(words_.settings.size())));
  std::string text = at->first + "=" + filled(one_of(at->second), at->first);
  return chance(0.04) ? slip(text) : text;
}

std::string CommandGrammar::slip(std::string word) {
  if (word.empty()) return "x";
  const std::size_t at = below(word.size());
  switch (below(4)) {
    case 0: return word.erase(at, 1);
    case 1: return word.insert(at, 1, word[at]);
    case 2: return word.insert(at, 1, static_cast<char>(1 + below(255)));
    default: return word + word;
  }
}

void CommandGrammar::add_job(Texts& arguments) {
  const auto option = [&](const std::string& name, const std::string& value) {
    arguments.push_back(name);
    arguments.push_back(chance(0.02) ? slip(value) : value);
  };
  option("--topology", topology());
  option("--workload", one_of(words_.workloads));
  if (chance(0.6)) option("--batch-per-accelerator", number(64));
  if (chance(0.1)) option("--global-batch", number(4096));
  if (chance(0.1)) option("--accelerators", number(64));
  if (chance(0.3)) option("--parallelism", parallelism());
  if (chance(0.3)) option("--precision", one_of({"fp32", "tf32", "fp16", "bf16", "fp8", "mixed"}));
  if (chance(0.3)) option("--fidelity", one_of({"closed", "folded", "fluid", "message"}));
  if (chance(0.1)) option("--seed", number(9));
  for (std::size_t i = below(5); i > 0; --i) option("--set", setting());
}

std::vector<std::string> CommandGrammar::next() {
  static const Texts commands{"predict", "predict", "predict", "predict", "predict", "predict", "explain", "list"};
  Texts arguments{one_of(commands)};
  if (arguments[0] == "list") {
    arguments.push_back(chance(0.5) ? topology() : one_of(chance(0.5) ? words_.workloads : words_.accelerators));
    if (chance(0.2)) arguments.back() = slip(arguments.back());
  } else {
    add_job(arguments);
  }
  if (chance(0.7)) {
    arguments.push_back("--format");
    arguments.push_back("json");
  }
  if (chance(0.02)) arguments.push_back(slip("--verbose"));
  return arguments;
}

}  // namespace mlsim::test
