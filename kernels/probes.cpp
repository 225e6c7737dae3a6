#include "kernels/probes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/text/errors.hpp"

namespace mlsim::kernels {
namespace {

void add_twins(std::vector<std::string>& probes, const std::string& kernel, const std::string& sizes) {
  for (const char* variant : {" fused fp32 ", " unfused fp32 "}) probes.push_back(kernel + variant + sizes);
}

}  // namespace

std::vector<std::string> cpu_probes(bool quick) {
  // 256 MiB leave every cache but the largest shared ones; 1 MiB stays in a core's own.
  std::vector<std::string> probes{"copy fp32 268435456", "gemm fp32 2048 2048 2048"};
  if (!quick) {
    for (const char* bytes : {"1048576", "8388608", "67108864"}) probes.push_back(std::string("copy fp32 ") + bytes);
    for (const char* sizes : {"512 512 512", "1024 1024 1024", "4096 4096 4096"})
      probes.push_back(std::string("gemm fp32 ") + sizes);
  }
  add_twins(probes, "bias_relu", "8192 1024");
  add_twins(probes, "norm_relu_add", "131072 16");
  add_twins(probes, "softmax_cross_entropy", "8192 1000");
  // ResNet-20 and ResNet-50: many small tensors and fewer large ones.
  const std::vector<std::string> models =
      quick ? std::vector<std::string>{"272474 65"} : std::vector<std::string>{"272474 65", "25557032 161"};
  for (const auto& sizes : models) {
    for (const char* rule : {"sgd", "momentum", "lars", "adam", "lamb"}) add_twins(probes, rule, sizes);
  }
  add_twins(probes, "logistic_step", "128 2000");
  if (!quick) add_twins(probes, "logistic_step", "8192 2000");
  return probes;
}

namespace cuda {
namespace {

using Sizes = std::vector<std::vector<std::int64_t>>;

constexpr std::int64_t kMi = 1 << 20;
// Past the L2 cache of every GPU so far (B200: 126 MB).
constexpr std::int64_t kPastCache = 256 * kMi;

const std::vector<std::string> kTwins{"fused", "unfused"};
const std::vector<std::string> kBeside{"alone", "beside_copy", "beside_kernel"};
const std::vector<Precision> kWide{Precision::fp32};
const std::vector<Precision> kNarrow{Precision::fp16, Precision::bf16};
const std::vector<Precision> kStored{Precision::fp32, Precision::fp16, Precision::bf16};
const std::vector<Precision> kAll{Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8};

std::vector<ProbeForm> forms() {
  const std::vector<std::string> matrix{"rows", "columns"}, update{"parameters", "tensors"}, product{"m", "n", "k"},
      table{"rows", "columns", "table rows"},
      convolution{"batch", "channels in", "height", "width", "channels out", "kernel", "stride"};
  // Activations of ResNet-50 and BERT-large at usual batches; parameters of ResNet-50 (161 tensors) and BERT-large
  // (398).
  const Sizes parameters{{25557032, 161}, {334000000, 398}}, fewer{{25557032, 161}};
  // Convolutions of ResNet-50 (He et al., arXiv:1512.03385, table 1): in the middle of a block and at its end.
  const Sizes narrow{{64, 64, 56, 56, 64, 3, 1}, {64, 256, 14, 14, 256, 3, 1}};
  const Sizes expanding{{64, 64, 56, 56, 256, 1, 1}, {64, 256, 14, 14, 1024, 1, 1}};
  const Sizes wide{{8192, 1024}, {65536, 1024}, {16384, 4096}}, one{{65536, 1024}};
  return {
      {"copy", {}, kStored, {"bytes"}, {{kMi}, {16 * kMi}, {64 * kMi}, {kPastCache}, {1024 * kMi}}, {{kPastCache}}},
      {"gemm", {}, kAll, product, {{1024, 1024, 1024}, {4096, 4096, 4096}, {8192, 8192, 8192}}, {{4096, 4096, 4096}}},
      {"launch", {"plain", "graph"}, {}, {}, {{}}, {{}}},
      {"host_to_device", {}, {}, {"bytes"}, {{4096}, {kMi}, {kPastCache}}, {{kPastCache}}},
      {"device_to_host", {}, {}, {"bytes"}, {{4096}, {kMi}, {kPastCache}}, {{kPastCache}}},
      {"overlap_kernel", kBeside, kWide, {"bytes"}, {{kPastCache}}, {{kPastCache}}},
      {"overlap_gemm", kBeside, {Precision::tf32, Precision::bf16}, {"m = n = k"}, {{8192}}, {}},
      {"gemm_bias_relu", kTwins, kStored, product, {{8192, 4096, 1024}}, {}},
      {"gemm_bias_gelu", kTwins, kStored, product, {{8192, 4096, 1024}}, {}},
      {"conv_bias_relu", kTwins, kStored, convolution, narrow, {}},
      {"conv_norm_relu_add", kTwins, kStored, convolution, expanding, {}},
      {"conv_statistics", kTwins, kNarrow, convolution, narrow, {}},
      {"conv_input_gradient_relu", kTwins, kStored, convolution, narrow, {}},
      {"bias_relu", kTwins, kStored, matrix, wide, one},
      {"bias_gelu", kTwins, kStored, matrix, wide, one},
      {"gelu", kTwins, kStored, {"elements"}, {{64 * kMi}}, {}},
      {"norm_relu_add", kTwins, kStored, matrix, {{802816, 64}, {200704, 256}}, {{200704, 256}}},
      {"dropout_add_layer_norm", kTwins, kStored, matrix, wide, one},
      {"softmax_cross_entropy", kTwins, kStored, matrix, {{4096, 1000}, {4096, 30528}}, {{4096, 30528}}},
      {"attention_softmax", kTwins, kStored, matrix, {{262144, 128}, {131072, 512}}, {{131072, 512}}},
      {"embedding_gather", kTwins, kStored, table, {{65536, 1024, 30528}}, {}},
      {"embedding_update", kTwins, kWide, table, {{65536, 1024, 30528}}, {}},
      {"cast_scale", kTwins, kNarrow, {"elements"}, {{64 * kMi}}, {}},
      {"sgd", kTwins, kWide, update, parameters, {}},
      {"momentum", kTwins, kWide, update, parameters, fewer},
      {"lars", kTwins, kWide, update, parameters, {}},
      {"adam", kTwins, kWide, update, parameters, fewer},
      {"lamb", kTwins, kWide, update, parameters, {}},
      {"clip_gradient", kTwins, kWide, update, parameters, {}},
      {"logistic_regression", kTwins, kWide, {"rows", "features"}, {{65536, 2000}}, {{65536, 2000}}},
  };
}

const ProbeForm& form_of(const std::string& kind) {
  std::vector<std::string> kinds;
  for (const auto& form : probe_forms()) {
    if (form.kind == kind) return form;
    kinds.push_back(form.kind);
  }
  throw InputError(unknown_word("probe", kind, kinds));
}

std::string pattern(const ProbeForm& form) {
  std::string text = form.kind;
  if (!form.variants.empty()) text += fmt::format(" {}", fmt::join(form.variants, "|"));
  if (!form.precisions.empty()) text += " PRECISION";
  for (const auto& size : form.sizes) text += fmt::format(" <{}>", size);
  return text;
}

bool fits(const ProbeName& name, const ProbeForm& form) {
  return name.variant.empty() == form.variants.empty() && name.precision.has_value() == !form.precisions.empty() &&
         name.sizes.size() == form.sizes.size();
}

// A quick run, under a minute, has one of the two 16-bit formats: the second behaves as the first.
bool is_quick(Precision precision) { return precision != Precision::bf16 && precision != Precision::fp8; }

}  // namespace

const std::vector<ProbeForm>& probe_forms() {
  static const std::vector<ProbeForm> all = forms();
  return all;
}

ProbeName parse_known_probe(const std::string& text) {
  const ProbeName name = parse_probe_name(text);
  const ProbeForm& form = form_of(name.kind);
  if (!fits(name, form))
    throw InputError(fmt::format("the probe \"{}\" is not of the form \"{}\"", text, pattern(form)));
  const auto& variants = form.variants;
  if (!variants.empty() && std::find(variants.begin(), variants.end(), name.variant) == variants.end())
    throw InputError(unknown_word("variant of " + form.kind, name.variant, variants));
  return name;
}

}  // namespace cuda

std::vector<std::string> cuda_probes(bool quick) {
  std::vector<std::string> names;
  for (const auto& form : cuda::probe_forms()) {
    // A form without variants or precisions has one nameless one.
    const auto variants = form.variants.empty() ? std::vector<std::string>{""} : form.variants;
    std::vector<std::optional<Precision>> precisions(form.precisions.begin(), form.precisions.end());
    if (precisions.empty()) precisions.emplace_back();
    for (const auto& sizes : quick ? form.quick : form.usual) {
      for (const auto& precision : precisions) {
        if (quick && precision && !cuda::is_quick(*precision)) continue;
        for (const auto& variant : variants) names.push_back(to_text(ProbeName{form.kind, variant, precision, sizes}));
      }
    }
  }
  return names;
}

}  // namespace mlsim::kernels
