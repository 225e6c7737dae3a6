#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernel/probe_name.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/probe_operations.hpp"

namespace mlsim::kernels {
namespace {

using Sizes = std::vector<std::int64_t>;

struct Probe {
  const char* name;
  std::size_t sizes;
  bool twins;  // whether "fused" or "unfused" follows the name
  CpuOperation (*operation)(const Sizes& sizes, bool fused, int threads);
};

template <UpdateRule rule>
CpuOperation update(const Sizes& s, bool fused, int threads) {
  return update_probe(rule, s[0], s[1], fused, threads);
}

const std::vector<Probe>& probes() {
  static const std::vector<Probe> table{
      {"copy", 1, false, [](const Sizes& s, bool, int threads) { return copy_probe(s[0], threads); }},
      {"gemm", 3, false, [](const Sizes& s, bool, int threads) { return gemm_probe(s[0], s[1], s[2], threads); }},
      {"bias_relu", 2, true,
       [](const Sizes& s, bool fused, int threads) {
         return bias_relu_probe({s[0], s[1], threads}, fused);
       }},
      {"norm_relu_add", 2, true,
       [](const Sizes& s, bool fused, int threads) {
         return norm_relu_add_probe({s[0], s[1], threads}, fused);
       }},
      {"softmax_cross_entropy", 2, true,
       [](const Sizes& s, bool fused, int threads) {
         return softmax_probe({s[0], s[1], threads}, fused);
       }},
      {"sgd", 2, true, update<UpdateRule::sgd>},
      {"momentum", 2, true, update<UpdateRule::momentum>},
      {"lars", 2, true, update<UpdateRule::lars>},
      {"adam", 2, true, update<UpdateRule::adam>},
      {"lamb", 2, true, update<UpdateRule::lamb>},
      {"logistic_step", 2, true, [](const Sizes& s, bool fused, int threads) {
         return logistic_probe({s[0], s[1], threads}, fused);
       }}};
  return table;
}

const Probe& probe_of(const std::string& word) {
  const auto found = std::find_if(probes().begin(), probes().end(), [&](const Probe& p) { return p.name == word; });
  if (found != probes().end()) return *found;
  std::vector<std::string> names;
  for (const auto& each : probes()) names.emplace_back(each.name);
  throw InputError("probe", unknown_word("probe", word, names));
}

bool is_fused(const std::string& word) {
  if (word == "fused" || word == "unfused") return word == "fused";
  throw InputError("probe", unknown_word("variant", word, {"fused", "unfused"}));
}

}  // namespace

std::unique_ptr<Timed> cpu_probe(const std::string& text, int threads) {
  const ProbeName name = parse_probe_name(text);
  const Probe& probe = probe_of(name.kind);
  if (name.variant.empty() == probe.twins || !name.precision || name.sizes.size() != probe.sizes)
    throw InputError("probe", "\"" + text + "\" needs " + (probe.twins ? "fused or unfused, " : "") +
                                  "a precision and " + std::to_string(probe.sizes) + " sizes");
  const bool fused = !probe.twins || is_fused(name.variant);
  if (name.precision != Precision::fp32)
    throw Unavailable("processors are measured in fp32; \"" + text + "\" is in another precision");
  const int team = team_size(threads);
  return timed_operation(probe.operation(name.sizes, fused, team), team);
}

}  // namespace mlsim::kernels
