#include "workloads/model/padding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/errors.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {
namespace {

PaddingLeftOut read_left_out(const Document& at) {
  at.allow_only({"round", "framework", "stack", "even", "source"});
  PaddingLeftOut code;
  code.even = at.at("even").flag();
  code.source = {Provenance::published, at.at("source").text(), ""};
  if (at.has("stack")) {
    if (at.has("round") || at.has("framework"))
      throw at.at("stack").error("\"stack\" says it alone, without \"round\" and \"framework\"");
    code.stack = at.at("stack").text();
    return code;
  }
  const std::optional<double> round = mlperf_round(at.at("round").text());
  if (!round) throw at.at("round").error("is no MLPerf round, as v1.0 is");
  code.round = *round;
  code.framework = at.at("framework").text();
  return code;
}

// Returns "pytorch-dell" of "mlperf-v1.0-pytorch-dell".
std::string_view framework_of(std::string_view stack) {
  for (int words = 0; words < 2; ++words) {
    const auto dash = stack.find('-');
    if (dash == std::string_view::npos) return {};
    stack.remove_prefix(dash + 1);
  }
  return stack;
}

// Returns the stack itself, or the newest code that it goes on from; null where it computes padding.
const PaddingLeftOut* left_out_by(const Padding& padding, const std::string& stack) {
  const std::optional<double> round = mlperf_round(stack);
  const PaddingLeftOut* newest = nullptr;
  for (const PaddingLeftOut& code : padding.left_out_by) {
    if (code.stack == stack && !stack.empty()) return &code;
    if (!round || !code.stack.empty()) continue;
    const std::string_view framework = framework_of(stack);
    if (framework != code.framework && !framework.starts_with(code.framework + "-")) continue;
    if (code.round <= *round && (newest == nullptr || code.round > newest->round)) newest = &code;
  }
  return newest;
}

// Returns the name with the lengths of `padding` behind its other parameters.
std::string shortened(const std::string& workload, const Padding& padding) {
  std::string name = workload;
  for (const auto& [parameter, value] : padding.without)
    name += fmt::format("{}{}={}", name.find(':') == std::string::npos ? ':' : ',', parameter, value);
  return name;
}

}  // namespace

Padding read_padding(const Document& at) {
  at.allow_only({"without", "spread", "provenance", "source", "left_out_by"});
  Padding padding;
  for (const auto& [parameter, value] : at.at("without").entries()) padding.without.emplace(parameter, value.count());
  padding.spread = {at.at("spread").not_negative_number(),
                    {at.at("provenance").word<Provenance>(), at.at("source").text(), ""}};
  for (const Document& code : at.at("left_out_by").items()) padding.left_out_by.push_back(read_left_out(code));
  return padding;
}

Model as_computed(Model model, const std::string& stack) {
  if (!model.padding) return model;
  const PaddingLeftOut* code = left_out_by(*model.padding, stack);
  if (code == nullptr) return model;
  Model shorter = load_model(shortened(model.name, *model.padding));
  model.inputs = std::move(shorter.inputs);
  model.layers = std::move(shorter.layers);
  if (!code->even) model.sample_spread = model.padding->spread;
  return model;
}

const std::string& computed_workload(const std::string& workload, const std::string& stack) {
  thread_local std::map<std::pair<std::string, std::string>, std::string> known;
  thread_local std::map<std::string, std::optional<Padding>> paddings;  // by workload, whose file is read once
  const auto [entry, fresh] = known.try_emplace({workload, stack}, workload);
  if (!fresh || stack.empty()) return entry->second;
  const auto [padding, first] = paddings.try_emplace(workload);
  if (first) padding->second = load_model(workload).padding;
  if (padding->second && left_out_by(*padding->second, stack) != nullptr)
    entry->second = shortened(workload, *padding->second);
  return entry->second;
}

}  // namespace mlsim::workloads
