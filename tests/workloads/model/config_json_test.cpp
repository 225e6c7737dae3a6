#include "workloads/model/config_json.hpp"

#include <string>

#include "catch.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::workloads;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// The keys of each file that size the network, as the checkpoint on Hugging Face has them.
const std::string kLlama8B = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
  "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
  "vocab_size": 128256, "max_position_embeddings": 8192, "tie_word_embeddings": false, "rms_norm_eps": 1e-05,
  "rope_scaling": null, "attention_bias": false})";
const std::string kLlama70B = R"({"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80,
  "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672, "vocab_size": 128256,
  "tie_word_embeddings": false})";
const std::string kLlama405B = R"({"model_type": "llama", "hidden_size": 16384, "num_hidden_layers": 126,
  "num_attention_heads": 128, "num_key_value_heads": 8, "intermediate_size": 53248, "vocab_size": 128256,
  "tie_word_embeddings": false, "mlp_bias": false})";
const std::string kMixtral = R"({"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32,
  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000,
  "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null, "tie_word_embeddings": false})";
const std::string kQwen8B = R"({"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36,
  "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288,
  "vocab_size": 151936, "tie_word_embeddings": false, "attention_bias": false, "sliding_window": null})";
const std::string kQwen30B = R"({"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48,
  "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144,
  "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1,
  "mlp_only_layers": [], "vocab_size": 151936, "tie_word_embeddings": false})";
const std::string kDeepSeek = R"({"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61,
  "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
  "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 18432,
  "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
  "first_k_dense_replace": 3, "moe_layer_freq": 1, "vocab_size": 129280, "num_nextn_predict_layers": 1,
  "tie_word_embeddings": false})";

Model loaded(const std::string& text, const std::string& overrides = "") {
  ScratchFolder folder;
  return load_model(folder.file("config.json", text) + overrides);
}

// Returns `text` with `from` in it replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

void refused(const std::string& text, const std::string& reason) {
  CHECK_THROWS_WITH(loaded(text), ContainsSubstring(reason));
  CHECK_THROWS_AS(loaded(text), InputError);
  CHECK_THROWS_WITH(loaded(text), ContainsSubstring("config.json:"));
}

}  // namespace

TEST_CASE("seven published config.json have the published parameters to the unit") {
  const std::pair<const std::string&, std::int64_t> rows[] = {
      {kLlama8B, 8030261248}, {kLlama70B, 70553706496}, {kLlama405B, 405853388800}, {kMixtral, 46702792704},
      {kQwen8B, 8190735360},  {kQwen30B, 30532122624},  {kDeepSeek, 671026419200}};
  for (const auto& [text, parameters] : rows) {
    INFO(text);
    CHECK(loaded(text).parameters() == parameters);
  }
}

TEST_CASE("a config.json is the catalogue's model of its sizes") {
  const Model model = loaded(kLlama8B, ":sequence=8192"), named = load_model("llama-3-8b");
  CHECK(model.macs() == named.macs());
  CHECK(model.gradient_tensors() == named.gradient_tensors());
  CHECK(model.tokens == 8192);
  CHECK(loaded(kLlama8B).tokens == 4096);
  CHECK(loaded(kMixtral).macs() == load_model("mixtral-8x7b").macs());
  CHECK(loaded(kDeepSeek).macs() == load_model("deepseek-v3").macs());
}

TEST_CASE("a config.json is named by its folder, and other words than its own give it numbers") {
  ScratchFolder folder;
  const std::string path = folder.file("own.json", kLlama8B);
  CHECK(load_model(path + ":layers=2").name == "own:layers=2");
  CHECK(load_model(path + ":num_hidden_layers=2").name == "own:layers=2");
  CHECK(config_name("/models/Qwen3-8B/config.json") == "Qwen3-8B");
  CHECK(config_name("config.json") == "config");
}

TEST_CASE("what the file does not say is as the model type's code has it") {
  CHECK(loaded(with(kLlama8B, "\"num_key_value_heads\": 8, ", "")).parameters() ==
        8030261248 + 32 * 2 * std::int64_t{4096} * (4096 - 1024));
  const Model gpt = loaded(R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
    "vocab_size": 50257})");
  CHECK(gpt.parameters() == 124439808);
  CHECK(gpt.tokens == 1024);
  CHECK(loaded(with(kLlama8B, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true")).parameters() ==
        8030261248 - std::int64_t{4096} * 128256);
}

TEST_CASE("an unknown model type is refused by name with the known ones") {
  refused(with(kLlama8B, "\"llama\"", "\"mambo\""),
          "unknown model_type \"mambo\"; known are bloom, cohere, deepseek_v2");
}

TEST_CASE("missing and contradicting keys of a config.json are refused at their line") {
  refused(with(kLlama8B, "\"model_type\": \"llama\", ", ""), "the key \"model_type\" is missing");
  refused(with(kLlama8B, "\"hidden_size\": 4096,", ""), "the key \"hidden_size\" is missing");
  refused(with(kLlama8B, "\"intermediate_size\": 14336,", ""), "the key \"intermediate_size\" is missing");
  refused(with(kQwen30B, "\"num_experts\": 128, ", ""), "the key \"num_experts\" is missing");
  refused(with(kDeepSeek, "\"v_head_dim\": 128, ", ""), "the key \"v_head_dim\" is missing");
  refused(with(kLlama8B, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 5"),
          "num_key_value_heads 5 does not divide num_attention_heads 32");
  refused(with(kLlama8B, "\"hidden_size\": 4096", "\"hidden_size\": 4100"),
          "num_attention_heads 32 does not divide hidden_size 4100");
  refused(with(kLlama8B, "\"hidden_size\": 4096", "\"n_embd\": 64, \"hidden_size\": 4096"),
          "\"n_embd\" is 64, but \"hidden_size\" is 4096");
  refused(with(kMixtral, "\"num_experts_per_tok\": 2", "\"num_experts_per_tok\": 9"),
          "num_experts_per_tok 9 is more than the 8 experts");
  refused(with(kDeepSeek, "\"first_k_dense_replace\": 3", "\"first_k_dense_replace\": 62"),
          "62 layers without experts are more than the 61 layers");
  refused(with(kQwen30B, "\"mlp_only_layers\": []", "\"mlp_only_layers\": [4]"), "the first ones");
  refused(with(kLlama8B, "\"hidden_size\": 4096", "\"hidden_size\": \"wide\""), "wide");
  refused("[]", "one object");
}

TEST_CASE("config.json of families whose blocks differ have the published parameters to the unit") {
  const std::pair<const char*, std::int64_t> rows[] = {
      {R"({"model_type": "gpt_neox", "hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64,
        "intermediate_size": 24576, "vocab_size": 50432, "tie_word_embeddings": false, "use_parallel_residual": true})",
       20554567680},
      {R"({"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "n_inner": null, "vocab_size": 50400,
        "tie_word_embeddings": false})",
       6050882784},
      {R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
        "multi_query": true, "parallel_attn": true, "new_decoder_architecture": false, "bias": false, "vocab_size": 65024})",
       6921720704},
      {R"({"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128,
        "num_kv_heads": 8, "multi_query": true, "new_decoder_architecture": true, "vocab_size": 65024})",
       41303293952},
      {R"({"model_type": "falcon", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32,
        "multi_query": false, "parallel_attn": false, "bias": true, "vocab_size": 50304})",
       1311625216},
      {R"({"model_type": "cohere", "hidden_size": 12288, "num_hidden_layers": 64, "num_attention_heads": 96,
        "num_key_value_heads": 8, "intermediate_size": 33792, "vocab_size": 256000, "use_qk_norm": true})",
       103810674688},
      {R"({"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32,
        "intermediate_size": 10240, "vocab_size": 51200, "tie_word_embeddings": false})",
       2779683840},
      {R"({"model_type": "starcoder2", "hidden_size": 3072, "num_hidden_layers": 30, "num_attention_heads": 24,
        "num_key_value_heads": 2, "intermediate_size": 12288, "vocab_size": 49152, "use_bias": true})",
       3030371328},
      {R"({"model_type": "olmo2", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "intermediate_size": 11008, "vocab_size": 100352, "tie_word_embeddings": false})",
       7298617344},
      {R"({"model_type": "olmoe", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 16,
        "intermediate_size": 1024, "num_experts": 64, "num_experts_per_tok": 8, "vocab_size": 50304})",
       6919161856},
      {R"({"model_type": "glm", "hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 13696, "vocab_size": 151552,
        "attention_bias": true})",
       9399951360},
      {R"({"model_type": "internlm2", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 92544, "bias": false})",
       7737708544}};
  for (const auto& [text, parameters] : rows) {
    INFO(text);
    CHECK(loaded(text).parameters() == parameters);
  }
}

TEST_CASE("a key takes the feed-forward part behind attention") {
  const std::string neox = R"({"model_type": "gpt_neox", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 256, "vocab_size": 100, "use_parallel_residual": true})";
  const Model beside = loaded(neox), behind = loaded(with(neox, "true", "false"));
  CHECK(beside.parameters() == behind.parameters());
  CHECK(beside.layers.size() == behind.layers.size());  // one sum of both for one in front of the second norm
  CHECK(layer_named(beside, "decoder.block0.norm2").inputs == layer_named(beside, "decoder.block0.norm1").inputs);
  CHECK(layer_named(behind, "decoder.block0.norm2").inputs != layer_named(behind, "decoder.block0.norm1").inputs);
}
