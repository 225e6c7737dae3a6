#include "kernels/cpu/cpu_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/kernel/probe_name.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "kernels/cache_size.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/convolution.hpp"
#include "kernels/cpu/library/matrix_product.hpp"
#include "kernels/cpu/library/onednn.hpp"

namespace mlsim::kernels {
namespace {

void check(const KernelKey& key) {
  if (key.precision != Precision::fp32)
    throw Unavailable("processors are measured in fp32; \"" + to_text(key) + "\" is in another precision");
  if (const auto missing = missing_extent(key.shape)) {
    throw InputError("kernel", fmt::format("\"{}\" has a dimension that is too small: its {}", to_text(key), *missing));
  }
}

CpuOperation operation(const KernelKey& key, int threads) {
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: return convolution_operation(key, threads);
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul: return matrix_operation(key, threads);
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward: return batch_norm_operation(key, threads);
    case KernelOp::layer_norm_forward:
    case KernelOp::layer_norm_backward: return layer_norm_operation(key, threads);
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward: return pool_operation(key, threads);
    case KernelOp::softmax_loss_forward:
    case KernelOp::softmax_loss_backward: return softmax_operation(key, threads);
    case KernelOp::sigmoid_loss_forward:
    case KernelOp::sigmoid_loss_backward: return sigmoid_operation(key, threads);
    case KernelOp::elementwise: return elementwise_operation(key, threads);
    case KernelOp::optimizer: return optimizer_operation(key, threads);
    case KernelOp::gather: return gather_operation(key, threads);
    case KernelOp::scatter_add: return scatter_operation(key, threads);
    case KernelOp::lstm_forward:
    case KernelOp::lstm_backward:
    case KernelOp::roi_align_forward:
    case KernelOp::roi_align_backward:
    case KernelOp::flash_attention_forward:
    case KernelOp::flash_attention_backward: break;
  }
  throw Unavailable("there is no kernel for processors of " + std::string(name(key.op)) +
                    "; its time is taken from the fit of the others");
}

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

std::unique_ptr<Timed> cpu_kernel(const KernelKey& key, int threads) {
  check(key);
  const int team = team_size(threads);
  return timed_operation(operation(key, team), team);
}

std::map<std::string, std::string> cpu_versions() {
  return {{"oneDNN", fmt::format("{} (blocks of {} channels)", onednn::version(), channel_block())},
          {"OpenBLAS", blas_version()},
          {"threads", std::to_string(all_threads())},
          {"last_level_cache", to_text(Bytes(double(shared_cache_bytes())))}};
}

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
