// What --set takes: names, values and their checks. What each does is in plan.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/errors.hpp"
#include "core/split.hpp"
#include "core/units_text.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/predict.hpp"
#include "topologies/catalogue.hpp"
#include "workloads/lowering.hpp"

namespace mlsim {
namespace {

struct Checked {
  SettingKey key;
  std::function<void(const std::string&)> check;  // throws InputError without a place
};

std::function<void(const std::string&)> one_of(std::vector<std::string> known) {
  return [known = std::move(known)](const std::string& value) {
    if (std::find(known.begin(), known.end(), value) == known.end())
      throw InputError(unknown_word("value", value, known));
  };
}

// A comma-separated list, each item checked.
template <class Parse>
std::function<void(const std::string&)> list_of(Parse parse) {
  return [parse](const std::string& value) {
    for (const auto& item : split(value, ',')) parse(item);
  };
}

const std::vector<Checked>& checked_keys() {
  static const auto anything = [](const std::string&) {};
  static const std::vector<Checked> keys{
      {{"stack", "NAME", "software stack whose speed to assume, as `mlsim list profiles` names them"}, anything},
      {{"recipe", "NAME", "convergence recipe: samples to target against batch"}, anything},
      {{"epochs", "NUMBER", "train this many epochs instead of to the target"},
       [](const std::string& v) {
         if (parse_number(v) <= 0 || parse_number(v) > 1e6) throw InputError("epochs must be between 0 and 1e6");
       }},
      {{"data", "synthetic | real", "whether the input pipeline reads real data"}, one_of({"synthetic", "real"})},
      {{"optimizer", "sgd | momentum | lars", "weight update"}, one_of(optimizer_names())},
      {{"variable_update", "replicated | parameter_server | distributed_replicated",
        "where TensorFlow keeps variables"},
       one_of({"replicated", "parameter_server", "distributed_replicated"})},
      {{"local_parameter_device", "cpu | gpu", "where a TensorFlow box keeps its variables"}, one_of({"cpu", "gpu"})},
      {{"fusion", "on | off", "merge elementwise operators into their producers"}, one_of({"on", "off"})},
      {{"overlap", "on | off", "exchange gradients under the backward pass"}, one_of({"on", "off"})},
      {{"sharded_update", "on | off", "each rank updates 1/N of the weights"}, one_of({"on", "off"})},
      {{"bucket", "SIZE", "gradients are exchanged in buckets of this size, \"25 MiB\""},
       [](const std::string& v) {
         if (parse_quantity<Bytes>(v).value < 1) throw InputError("a bucket holds at least 1 B");
       }},
      {{"gradient_precision", "fp32 | fp16 | bf16", "format of gradients on the wire"},
       one_of({"fp32", "fp16", "bf16"})},
      {{"algorithm", "NAME", "collective algorithm, as `mlsim list collectives` names them"},
       one_of(algorithm_names())},
      {{"engine", "simgrid | max-min", "what moves the flows; max-min is our own solver, for thousands at once"},
       one_of(engine_names())},
      {{"price", "on-demand | preemptible", "which price to pay"}, one_of({"on-demand", "preemptible"})},
      {{"slow_link", "A-B:FACTOR[,…]", "a link at a fraction of its rate, \"x0y0-x1y0:0.5\""},
       list_of(parse_slow_link)},
      {{"failed_link", "A-B[,…]", "a link that is down"}, list_of(parse_failed_link)},
      {{"slow_rank", "RANK:FACTOR[,…]", "an accelerator at a fraction of its speed, \"17:0.9\""},
       list_of(parse_slow_rank)},
  };
  return keys;
}

}  // namespace

const std::vector<SettingKey>& settings_keys() {
  static const auto keys = [] {
    std::vector<SettingKey> all;
    for (const auto& checked : checked_keys()) all.push_back(checked.key);
    return all;
  }();
  return keys;
}

void check_settings(const Settings& settings) {
  for (const auto& [key, value] : settings) {
    const auto& known = checked_keys();
    const auto found =
        std::find_if(known.begin(), known.end(), [&wanted = key](const auto& k) { return k.key.key == wanted; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const auto& k : known) names.push_back(k.key.key);
      throw InputError("--set", unknown_word("setting", key, names));
    }
    try {
      found->check(value);
    } catch (const InputError& e) {
      throw InputError(fmt::format("--set {}={}", key, value), e.reason());
    }
  }
}

Settings parse_settings(const std::string& text) {
  Settings settings;
  for (const auto& item : split(text, ';')) {
    const auto equals = item.find('=');
    const auto first = item.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (equals == std::string::npos || equals == first || equals + 1 == item.size()) {
      throw InputError("--set", fmt::format("\"{}\" is not of the form key=value", item.substr(0, 80)));
    }
    const std::string key = item.substr(first, equals - first);
    const std::string value = item.substr(equals + 1);
    const bool list = key == "slow_link" || key == "failed_link" || key == "slow_rank";
    if (settings.contains(key) && !list) throw InputError("--set", fmt::format("\"{}\" is given twice", key));
    auto& slot = settings[key];
    slot = slot.empty() ? value : slot + "," + value;
  }
  check_settings(settings);
  return settings;
}

}  // namespace mlsim
