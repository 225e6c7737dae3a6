#include "sim/evidence/anchor_traits.hpp"

#include <map>
#include <string_view>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "sim/kernel_cost/operator_efficiency.hpp"
#include "topologies/accelerator_file.hpp"
#include "topologies/build_cluster.hpp"

namespace mlsim::sim {

std::string machine_name(const std::string& topology) { return topology.substr(0, topology.find(':')); }

std::string tables_of(const std::string& stack) { return stack.substr(0, stack.find('-')); }

std::string code_base(const std::string& stack) {
  std::string base;
  for (const std::string& word : split(stack, '-')) {
    const std::string_view number = std::string_view(word).substr(word.starts_with('v') ? 1 : 0);
    const bool release = !number.empty() && number.find_first_not_of("0123456789.") == std::string_view::npos;
    if (!release) base += (base.empty() ? "" : "-") + word;
  }
  return base;
}

const std::string& accelerator_name(const std::string& topology) {
  static std::map<std::string, std::string> known;
  const auto [entry, fresh] = known.try_emplace(topology);
  if (!fresh) return entry->second;
  try {
    entry->second = accelerator_of(topology);
  } catch (const InputError&) {  // stays empty
  }
  return entry->second;
}

bool same_rate_on(const std::string& accelerator, Precision a, Precision b) {
  if (a == b) return true;
  const auto spec = find_accelerator(accelerator);
  return spec && same_rate(*spec, a, b);
}

double micro_batch(const ParsedAnchor& anchor) {
  return anchor.global_batch / anchor.accelerators / anchor.options.memory.accumulation.value_or(1);
}

}  // namespace mlsim::sim
