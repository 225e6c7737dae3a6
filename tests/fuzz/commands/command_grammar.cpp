#include "command_grammar.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
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

void CommandGrammar::add(Texts& arguments, double share, const std::string& option, const std::string& value) {
  if (!chance(share)) return;
  arguments.push_back(option);
  arguments.push_back(chance(0.02) ? slip(value) : value);
}

void CommandGrammar::add_job(Texts& arguments, const std::string& system) {
  add(arguments, 1, "--topology", system);
  add(arguments, 1, "--workload", one_of(words_.workloads));
  add(arguments, 0.6, "--batch-per-accelerator", number(64));
  add(arguments, 0.1, "--global-batch", number(4096));
  add(arguments, 0.1, "--accelerators", number(64));
  add(arguments, 0.3, "--parallelism", parallelism());
  add(arguments, 0.3, "--precision", one_of({"fp32", "tf32", "fp16", "bf16", "fp8", "mixed"}));
  add(arguments, 0.3, "--fidelity", one_of({"closed", "folded", "fluid", "message"}));
  for (std::size_t i = below(5); i > 0; --i) add(arguments, 1, "--set", setting());
}

// Of what takes many answers.
CommandGrammar::Texts CommandGrammar::small_systems(std::size_t most) {
  static const Texts kinds{"torus4x4",       "mesh2x3",   "dgx-a100",         "dgx-a100:nodes=2", "p3.2xlarge:nodes=4",
                           "gke-t4:nodes=3", "dgx1-v100", "mi300x-8:nodes=2", "tpu-v3-32",        "torus4x4:wrap=x"};
  Texts systems;
  for (std::size_t i = 1 + below(most); i > 0; --i)
    systems.push_back(chance(0.1) ? slip(one_of(kinds)) : one_of(kinds));
  return systems;
}

std::string CommandGrammar::file_of(const Texts& readers) {
  if (chance(0.03)) return one_of({"missing.txt", ".", "/dev/null", ""});
  if (chance(0.1)) {  // another reader's
    auto other = words_.files.begin();
    std::advance(other, static_cast<std::ptrdiff_t>(below(words_.files.size())));
    return one_of(other->second);
  }
  return one_of(words_.files.at(one_of(readers)));
}

CommandGrammar::Texts CommandGrammar::job(const std::string& command) {
  Texts arguments{command};
  add_job(arguments, topology());
  add(arguments, 0.1, "--seed", number(9));
  add(arguments, 0.7, "--format", "json");
  return arguments;
}

CommandGrammar::Texts CommandGrammar::list() {
  Texts arguments{"list", chance(0.5) ? topology() : one_of(chance(0.5) ? words_.workloads : words_.accelerators)};
  if (chance(0.2)) arguments.back() = slip(arguments.back());
  add(arguments, 0.7, "--format", "json");
  return arguments;
}

CommandGrammar::Texts CommandGrammar::sweep() {
  Texts arguments{"sweep", "--workers", "1", "--output", one_of({"s.sqlite", "s.csv", "s.jsonl", "s.txt"})};
  add_job(arguments, fmt::format("{}", fmt::join(small_systems(3), ",")));
  add(arguments, 0.7, "--batch-per-accelerator",
      one_of({"1..8", "2..10+4", "1..100*10", "8,x", "8..1", "default,4", "1..1000000"}));
  add(arguments, 0.3, "--set", "overlap=on,off");
  add(arguments, 0.1, "--shard", one_of({"0/2", "1/2", "2/2", "/2", "x"}));
  add(arguments, 0.1, "--format", one_of({"csv", "jsonl", "sqlite", "json"}));
  return arguments;
}

CommandGrammar::Texts CommandGrammar::plan() {
  Texts arguments{"plan", "--workers", "1", "--most-accelerators", "16"};
  add(arguments, 1, "--workload", one_of(words_.workloads));
  add(arguments, 1, "--topology", fmt::format("{}", fmt::join(small_systems(2), ",")));
  add(arguments, 0.4, "--accelerators", one_of({"8", "1..8", "3,7", "0"}));
  add(arguments, 0.5, "--deadline", quantity(kTimes));
  add(arguments, 0.5, "--budget", number(5000) + one_of({"USD", " USD", "", "EUR"}));
  add(arguments, 0.2, "--confidence", number(99));
  add(arguments, 0.2, "--memory-margin", number(50));
  add(arguments, 0.2, "--trust", one_of({"measured", "good", "fair", "weak", "none"}));
  add(arguments, 0.3, "--set", setting());
  add(arguments, 0.5, "--format", "json");
  return arguments;
}

CommandGrammar::Texts CommandGrammar::compare() {
  Texts arguments{"compare"};
  for (const std::string& system : small_systems(3))
    arguments.push_back(chance(0.3) ? system + " " + one_of({"precision=bf16", "batch-per-accelerator=4", setting()})
                                    : system);
  add(arguments, 1, "--workload", one_of(words_.workloads));
  add(arguments, 0.5, "--batch-per-accelerator", number(64));
  add(arguments, 0.3, "--set", setting());
  add(arguments, 0.5, "--format", "json");
  return arguments;
}

CommandGrammar::Texts CommandGrammar::diagnose() {
  Texts arguments{"diagnose"};
  for (std::size_t i = 1 + below(3); i > 0; --i)
    arguments.push_back(file_of({"pipeline-record", "nccl-tests-text", "nccl-tests-json", "kineto"}));
  add(arguments, 0.5, "--format", "json");
  return arguments;
}

CommandGrammar::Texts CommandGrammar::import() {
  switch (below(4)) {
    case 0: return {"import", "trace", file_of({"kineto", "nsys"}), file_of({"kineto"})};
    case 1: return {"import", "sacct", file_of({"sacct"})};
    case 2: {
      Texts arguments{"import", "mllog", file_of({"mllog"})};
      add(arguments, 0.9, "--topology", topology());
      add(arguments, 0.2, "--workload", one_of(words_.workloads));
      return arguments;
    }
    default: break;
  }
  Texts arguments{"import", "--output", "p.json"};
  for (std::size_t i = 1 + below(2); i > 0; --i)
    arguments.push_back(file_of({"nccl-tests-text", "nccl-tests-json", "osu"}) +
                        (chance(0.4) ? ":nodes=" + number(4) + ",ranks_per_node=" + number(8) : ""));
  add(arguments, 0.9, "--accelerator", one_of(words_.accelerators));
  add(arguments, 0.2, "--complete-on", one_of(small_systems(1)));
  return arguments;
}

CommandGrammar::Texts CommandGrammar::exported() {
  Texts arguments{"export", "chakra", "--output", "e"};
  add_job(arguments, one_of(small_systems(1)));
  return arguments;
}

CommandGrammar::Texts CommandGrammar::validate() {
  if (chance(0.3)) {
    Texts arguments{"validate", "trace", file_of({"kineto", "pipeline-record"})};
    add(arguments, 0.7, "--topology", one_of(small_systems(1)));
    add(arguments, 0.2, "--ranks", number(8));
    add(arguments, 0.5, "--format", "json");
    return arguments;
  }
  const std::string way = one_of({"published", "questions", "anchors", "rates", "transfer"});
  Texts arguments{"validate", way};
  add(arguments, 1, "--cases", file_of({"cases"}));
  if (way == "published" || way == "questions") add(arguments, 0.3, "--time-limit", quantity(kTimes));
  if (way == "published") add(arguments, 0.3, "--hide", one_of({"own", "table", "network", "chip", "release", "era"}));
  add(arguments, 0.5, "--format", "json");
  return arguments;
}

CommandGrammar::Texts CommandGrammar::calibrate() {
  Texts arguments{"calibrate", "--dry-run"};
  add(arguments, 0.7, "--workload", one_of(words_.workloads));
  add(arguments, 0.5, "--batch-per-accelerator", number(64));
  add(arguments, 0.3, "--precision", one_of({"fp32", "fp16", "fp32,fp16", "fp8"}));
  add(arguments, 0.3, "--time-limit", quantity(kTimes));
  add(arguments, 0.2, "--threads", number(4));
  return arguments;
}

CommandGrammar::Texts CommandGrammar::machine() {
  Texts arguments{"topology", "--hwloc", file_of({"hwloc-xml"})};
  if (chance(0.3)) arguments[1] = "--nccl";
  add(arguments, 0.3, "--accelerator", one_of(words_.accelerators));
  return arguments;
}

std::vector<std::string> CommandGrammar::next() {
  using Form = Texts (CommandGrammar::*)();
  static constexpr Form kForms[]{&CommandGrammar::list,     &CommandGrammar::sweep,    &CommandGrammar::plan,
                                 &CommandGrammar::compare,  &CommandGrammar::diagnose, &CommandGrammar::import,
                                 &CommandGrammar::exported, &CommandGrammar::validate, &CommandGrammar::calibrate,
                                 &CommandGrammar::machine};
  Texts arguments =
      chance(0.6) ? job(chance(0.8) ? "predict" : "explain") : (this->*kForms[below(std::size(kForms))])();
  if (chance(0.02)) arguments.push_back(slip("--verbose"));
  return arguments;
}

}  // namespace mlsim::test
