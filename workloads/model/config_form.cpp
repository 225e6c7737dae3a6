#include "workloads/model/config_form.hpp"

namespace mlsim::workloads {
namespace {

const ParameterOverrides kPlain{{"rms", 0}, {"gated", 0}, {"biases", 1}, {"rotary", 0}, {"dropout", 1}};
const ParameterOverrides kPlainRotary{{"rms", 0}, {"gated", 0}, {"biases", 1}};
const ParameterOverrides kBehind{{"pre_norms", 0}, {"post_norms", 1}, {"qk_norm", 1}, {"own_scales", 1}};

ParameterOverrides with(ParameterOverrides base, const ParameterOverrides& more) {
  for (const auto& [key, value] : more) base[key] = value;
  return base;
}

}  // namespace

const std::map<std::string, ConfigForm>& config_forms() {
  static const std::string own = "moe_intermediate_size", same = "intermediate_size";
  static const ParameterOverrides gemma2{{"geglu", 1}, {"post_norms", 1}, {"full_every", 2}};
  static const std::map<std::string, ConfigForm> known{
      {"llama", {}},
      {"granite", {}},
      {"internlm2", {}},
      {"phi3", {}},
      {"smollm3", {}},
      {"olmo2", {.parameters = kBehind}},
      {"olmoe", {.parameters = {{"qk_norm", 1}, {"own_scales", 1}}, .mixture = true, .experts_width = same}},
      {"mistral", {.windowed = true}},
      {"mixtral", {.mixture = true, .windowed = true, .experts_width = same}},
      {"qwen2", {.parameters = {{"attention_biases", 1}, {"projection_biases", 0}}}},
      {"qwen3", {.parameters = {{"qk_norm", 1}}}},
      {"qwen3_moe", {.parameters = {{"qk_norm", 1}}, .mixture = true, .experts_width = own}},
      {"gemma", {.parameters = {{"geglu", 1}}, .tied = true}},
      {"gemma2", {.parameters = gemma2, .tied = true, .windowed = true}},
      {"gemma3_text",
       {.parameters = with(gemma2, {{"qk_norm", 1}, {"full_every", 6}}), .tied = true, .windowed = true}},
      {"gpt_oss",
       {.parameters = {{"attention_biases", 1},
                       {"projection_biases", 1},
                       {"router_biases", 1},
                       {"expert_biases", 1},
                       {"sinks", 1},
                       {"full_every", 2}},
        .mixture = true,
        .windowed = true,
        .experts_width = same}},
      {"deepseek_v2", {.latent = true, .mixture = true, .experts_width = own}},
      {"deepseek_v3", {.parameters = {{"router_biases", 1}}, .latent = true, .mixture = true, .experts_width = own}},
      {"kimi_k2", {.parameters = {{"router_biases", 1}}, .latent = true, .mixture = true, .experts_width = own}},
      {"gpt2", {.parameters = with(kPlain, {{"learned_positions", 1}}), .tied = true}},
      {"opt", {.parameters = with(kPlain, {{"learned_positions", 1}}), .tied = true}},
      {"gpt_neox", {.parameters = with(kPlainRotary, {{"shared_norm", 0}}), .beside = "use_parallel_residual"}},
      {"gptj",
       {.parameters = with(kPlainRotary,
                           {{"attention_biases", 0}, {"projection_biases", 0}, {"parallel", 1}, {"head_biases", 1}})}},
      {"phi", {.parameters = with(kPlainRotary, {{"parallel", 1}, {"head_biases", 1}})}},
      {"falcon",
       {.parameters = {{"rms", 0}, {"gated", 0}, {"norm_biases", 1}}, .tied = true, .beside = "parallel_attn"}},
      {"cohere", {.parameters = {{"rms", 0}, {"parallel", 1}, {"own_scales", 1}}, .tied = true}},
      {"starcoder2", {.parameters = kPlainRotary, .tied = true, .windowed = true}},
      {"glm", {.parameters = {{"projection_biases", 0}}}},
      {"glm4_moe",
       {.parameters = {{"projection_biases", 0}, {"router_biases", 1}}, .mixture = true, .experts_width = own}},
      {"bloom", {.parameters = with(kPlain, {{"embedding_norm", 1}, {"dropout", 0}}), .tied = true}},
      {"nemotron_h",
       {.parameters = {{"gated", 0}, {"squared_relu", 1}, {"rotary", 0}}, .experts_width = own, .patterned = true}},
      {"nemotron", {.parameters = {{"rms", 0}, {"gated", 0}, {"squared_relu", 1}, {"norm_biases", 1}}}}};
  return known;
}

}  // namespace mlsim::workloads
