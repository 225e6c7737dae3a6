// Decoder-only language models of the catalogue against published totals and a count by formula.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

bool has(const Model& model, const char* name) { return model.parameters_of_file.at(name) != 0; }

struct Count {
  double parameters = 0, active = 0, macs = 0;  // macs: of one sequence
};

// Counts a decoder of `sizes` by formula: attention h H d + 2 h K d + H d h, latent attention h q + q + q H (n + r) +
// h (c + r) + c + c H (n + v) + H v h; feed-forward part 3 h f with a gate, 2 h f without.
Count counted(const Model& model) {
  const auto v = [&](const char* name) { return double(model.parameters_of_file.at(name)); };
  const double h = v("hidden"), s = v("sequence"), heads = v("heads"), kv = v("kv_heads"), d = v("head_size");
  const double value = v("value_size"), matrices = has(model, "gated") ? 3 : 2;
  const double norm = h * (has(model, "rms") ? 1 : 1 + v("norm_biases"));
  const double packed = heads * d + kv * (d + value);
  const double scales = has(model, "own_scales") ? (heads + kv) * d : 2 * d;
  double attention = h * packed, around = v("attention_biases") * packed + v("projection_biases") * h +
                                          scales * v("qk_norm") + heads * v("sinks");
  if (const double c = v("kv_lora_rank"); c > 0) {
    const double q = v("q_lora_rank"), r = v("rope_size");
    attention = (q > 0 ? h * q + q * heads * d : h * heads * d) + h * (c + r) + c * heads * (d - r + value);
    around = q + c;
  }
  attention += heads * value * h;
  const auto feed = [&](double width, double bias) {
    return std::pair{matrices * h * width, bias * ((matrices - 1) * width + h)};
  };
  Count all;
  for (int i = 0; i < int(v("layers")); ++i) {
    const bool mixture = has(model, "experts") && i >= v("dense_layers") && (i + 1) % int(v("expert_every")) == 0;
    const double norms = (has(model, "shared_norm") ? 1 : 2) * v("pre_norms");
    const double fixed = attention + around + norms * norm + 2 * h * v("post_norms");
    all.macs += s * (attention + s * heads * (d + value));
    if (mixture) {
      const auto [one, bias] = feed(v("expert_ffn"), v("expert_biases"));
      const double router = h * v("experts"), shared = feed(v("shared_ffn"), 0).first;
      all.parameters += fixed + v("experts") * (one + bias) + router + v("router_biases") * v("experts") + shared;
      all.active += fixed + v("experts_per_token") * (one + bias) + router + v("router_biases") * v("experts") + shared;
      all.macs += s * (v("experts_per_token") * one + router + shared);
    } else {
      const auto [one, bias] = feed(v("ffn"), v("biases"));
      all.parameters += fixed + one + bias;
      all.active += fixed + one + bias;
      all.macs += s * one;
    }
  }
  const double tables = v("vocabulary") * h * (has(model, "tied") ? 1 : 2) + norm + v("learned_positions") * s * h +
                        v("embedding_norm") * norm + v("head_biases") * v("vocabulary");
  all.parameters += tables;
  all.active += tables;
  all.macs += s * v("vocabulary") * h;
  return all;
}

bool is_parametrised(const Model& model) { return model.parameters_of_file.contains("kv_lora_rank"); }

}  // namespace

TEST_CASE("language models have the parameters that papers round") {
  struct Row {
    const char* name;
    double giga, margin;
  };
  // Narayanan et al., arXiv:2104.04473, table 1; Korthikanti et al., arXiv:2205.05198, table 3; the models' reports.
  const Row rows[] = {{"gpt-1.7b", 1.7, 0.05},
                      {"gpt-3.6b", 3.6, 0.05},
                      {"gpt-7.5b", 7.5, 0.05},
                      {"gpt-18.4b", 18.4, 0.05},
                      {"gpt-40b", 39.1, 0.05},
                      {"gpt-76.1b", 76.1, 0.05},
                      {"gpt-145.6b", 145.6, 0.05},
                      {"gpt-310.1b", 310.1, 0.05},
                      {"gpt-530b", 529.6, 0.05},
                      {"gpt-1t", 1008, 0.5},
                      {"gpt-22b", 22, 0.5},
                      {"gpt-20b", 20, 0.5},
                      {"gpt-5b", 5, 0.05},
                      {"gpt-126m", 0.126, 0.001},
                      {"gpt3-175b", 174.6, 0.05},
                      {"opt-175b", 175, 0.5},
                      {"kimi-k2", 1030, 5},
                      {"llama-4-maverick", 400, 2},
                      {"llama-4-scout", 109, 2},
                      {"nemotron-4-15b", 15.7, 0.1},
                      {"nemotron-4-340b", 341, 0.05},
                      {"nemotron-3-8b", 8.5, 0.05},
                      {"nemotron-3-22b", 21.3, 0.05},
                      {"gemma-3-12b", 11.77, 0.01},
                      {"gemma-3-27b", 27.01, 0.01},
                      {"palm-8b", 8.63, 0.005},
                      {"palm-62b", 62.5, 0.01},
                      {"palm-540b", 540.35, 0.01},
                      {"glm-4.5-355b", 355, 3},
                      {"glm-4.5-air", 106, 1},
                      {"grok-1", 314, 3},
                      {"opt-6.7b", 6.7, 0.05},
                      {"opt-13b", 12.85, 0.05},
                      {"opt-30b", 30, 0.1},
                      {"opt-66b", 66, 0.5}};
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(std::abs(double(load_model(row.name).parameters()) / 1e9 - row.giga) <= row.margin);
  }
}

TEST_CASE("each decoder has the parameters and the work of its sizes by formula") {
  int decoders = 0;
  for (const auto& name : model_names()) {
    const Model model = load_model(name);
    const bool hybrid = std::any_of(model.layers.begin(), model.layers.end(),
                                    [](const Layer& layer) { return layer.kind == LayerKind::state_space; });
    if (!is_parametrised(model) || has(model, "lora_rank") || hybrid) continue;
    INFO(name);
    ++decoders;
    const Count count = counted(model);
    CHECK(double(model.parameters()) == count.parameters);
    CHECK(double(model.macs()) == Approx(count.macs).epsilon(1e-12));
  }
  CHECK(decoders > 80);
}

TEST_CASE("of a mixture of experts a token goes through the published part") {
  CHECK(counted(load_model("mixtral-8x7b")).active == 12879925248);
  CHECK(counted(load_model("qwen3-30b-a3b")).active == 3353032704);
  CHECK(counted(load_model("deepseek-v3")).active == 37552297472);
}

TEST_CASE("people's spellings name the same models") {
  const std::pair<const char*, const char*> rows[] = {{"llama3-405b", "llama-3.1-405b"},
                                                      {"Llama-3.1-405B", "llama-3.1-405b"},
                                                      {"llama3-8b", "llama-3-8b"},
                                                      {"gpt3-13b", "gpt-13b"},
                                                      {"qwen3-30b", "qwen3-30b-a3b"},
                                                      {"GPT-OSS-20B", "gpt-oss-20b"},
                                                      {"mixtral", "mixtral-8x7b"},
                                                      {"deepseek-r1", "deepseek-v3"},
                                                      {"gemma3-12b", "gemma-3-12b"},
                                                      {"mt-nlg", "gpt-530b"},
                                                      {"falcon", "falcon-40b"},
                                                      {"GPT-NeoX", "gpt-neox-20b"},
                                                      {"mistral-large", "mistral-large-123b"},
                                                      {"GLM-4.5", "glm-4.5-355b"},
                                                      {"nemotron4-15b", "nemotron-4-15b"},
                                                      {"gpt2xl", "gpt2-xl"}};
  for (const auto& [word, name] : rows) CHECK(load_model(word).name == name);
}

TEST_CASE("other programs' words for sizes are parameters") {
  const char* own = "llama-3-8b:layers=2,hidden=64,heads=8,kv_heads=4,ffn=128,vocabulary=100,sequence=16";
  const char* hugging_face =
      "llama-3-8b:num_hidden_layers=2,hidden_size=64,num_attention_heads=8,num_key_value_heads=4,intermediate_size=128,"
      "vocab_size=100,max_position_embeddings=16";
  const char* megatron =
      "llama-3-8b:num_layers=2,hidden_size=64,num_attention_heads=8,num_query_groups=4,ffn_hidden_size=128,"
      "vocab_size=100,seq_length=16";
  CHECK(load_model(hugging_face).name == load_model(own).name);
  CHECK(load_model(megatron).parameters() == load_model(own).parameters());
  CHECK(load_model("llama-2-7b:feed_forward=22016").parameters() == load_model("llama-2-7b:ffn=22016").parameters());
  CHECK_THROWS_WITH(load_model("llama-2-7b:ffn=1,feed_forward=2"),
                    Catch::Matchers::ContainsSubstring("another word for the parameter \"ffn\""));
}

TEST_CASE("a parameter of what a model lacks is refused") {
  CHECK_THROWS_WITH(load_model("llama-3-8b:expert_ffn=8"),
                    Catch::Matchers::ContainsSubstring("\"expert_ffn\" changes nothing"));
  CHECK_THROWS_WITH(load_model("llama-3-8b:heads=33"), Catch::Matchers::ContainsSubstring("does not divide"));
  CHECK_THROWS_WITH(load_model("llama-3-8b:kv_heads=5"),
                    Catch::Matchers::ContainsSubstring("5 heads of keys and values do not divide the 32 heads"));
}

// Mixtral 8x7B without experts is Mistral 7B, but for its window.
TEST_CASE("a parameter of a name may leave out what the model's file gives") {
  const std::int64_t expert = 3 * std::int64_t{4096} * 14336;
  CHECK(load_model("mixtral-8x7b:expert_ffn=7168").parameters() == 46702792704 - 32 * 8 * expert / 2);
  CHECK(load_model("mixtral-8x7b:experts=0").parameters() == 7241732096);
  CHECK(load_model("mixtral-8x7b:shared_experts=1,dense_layers=2,expert_every=2").parameters() ==
        46702792704 - (32 - 15) * (7 * expert + 8 * 4096) + 15 * expert);
  CHECK(load_model("deepseek-v3:shared_ffn=4096").parameters() == 671026419200 + 58 * 3 * std::int64_t{7168} * 2048);
  CHECK_THROWS_WITH(load_model("mixtral-8x7b:experts_ffn=8"),
                    Catch::Matchers::ContainsSubstring("did you mean \"expert_ffn\"?"));
}

TEST_CASE("of a mixture every parameter of its parts can be said, and no other") {
  std::set<std::string> refused;
  for (const auto& [name, value] : load_model("mixtral-8x7b").parameters_of_file) {
    try {
      load_model("mixtral-8x7b:layers=2," + (name == "layers" ? "hidden=4096" : name + "=" + std::to_string(value)));
    } catch (const InputError& e) {
      CHECK_THAT(e.what(), Catch::Matchers::ContainsSubstring("changes nothing"));
      refused.insert(name);
    }
  }
  // It has RMS norms, a gate, no window, nothing beside attention, no latent attention, no adapters and no state space.
  CHECK(refused == std::set<std::string>{"full_every", "lora_ffn", "lora_projection", "mamba_chunk", "mamba_groups",
                                         "mamba_head_size", "mamba_heads", "mamba_state", "mamba_taps", "norm_biases",
                                         "own_scales", "rope_size", "shared_norm", "squared_relu"});
  CHECK_THROWS_WITH(load_model("llama-3-8b:dense_layers=3"),
                    Catch::Matchers::ContainsSubstring("\"dense_layers\" changes nothing"));
}

TEST_CASE("a corpus counts tokens, whatever the length of a sample") {
  const auto samples = [](const char* name) { return load_model(name).dataset.train_samples; };
  CHECK(samples("llama-3-8b") == 15'000'000'000'000 / 8192);
  CHECK(samples("llama-3-8b:sequence=131072") == 15'000'000'000'000 / 131072);
  CHECK(load_model("llama-3-8b:sequence=131072").tokens == 131072);
  CHECK(load_model("llama2-70b-lora").dataset.train_samples == 3901);
}

TEST_CASE("a window and every other layer without it are in the layers") {
  const Model model = load_model("gpt-oss-20b:layers=4");
  for (const auto& [layer, window] : {std::pair{0, 128}, {1, 0}, {2, 128}, {3, 0}})
    CHECK(layer_named(model, "decoder.block" + std::to_string(layer) + ".attention").window == window);
}

TEST_CASE("the first layers of DeepSeek-V3 are dense and the others mixtures") {
  const Model model = load_model("deepseek-v3:layers=4");
  CHECK(layer_named(model, "decoder.block2.ffn.widen").output.channels == 2 * 18432);
  CHECK(layer_named(model, "decoder.block3.mixture.widen").experts == 256);
  CHECK(layer_named(model, "decoder.block3.mixture.widen").input.positions() == 8 * 4096);
  CHECK(layer_named(model, "decoder.block3.attention").input.channels == 128 * (192 + 192 + 128));
}

TEST_CASE("adapters of rank 16 beside Llama 2 70B have 44.56 M parameters, the only trained ones") {
  const Model model = load_model("llama2-70b-lora");
  CHECK(model.trainable_parameters() == 80 * 16 * (8192 + 10240 + 8192 + 8192));
  CHECK(model.parameters() == 68976648192 + model.trainable_parameters());
}

TEST_CASE("adapters stand where they are said") {
  const auto trained = [](const char* name) { return load_model(name).trainable_parameters(); };
  const std::int64_t packed = 4096 + 2 * 1024, rank = 8, layers = 2;
  CHECK(trained("llama-3-8b:layers=2,lora_rank=8,lora_projection=0") == layers * rank * (4096 + packed));
  CHECK(trained("llama-3-8b:layers=2,lora_rank=8") == layers * rank * (4096 + packed + 2 * 4096));
  CHECK(trained("llama-3-8b:layers=2,lora_rank=8,lora_ffn=1") ==
        layers * rank * (4096 + packed + 2 * 4096 + (4096 + 2 * 14336) + (14336 + 4096)));
  const Model model = load_model("llama-3-8b:layers=2,lora_rank=8,lora_ffn=1");
  CHECK(layer_named(model, "decoder.block0.ffn.down1").input.channels == 4096);
  CHECK(layer_named(model, "decoder.block0.ffn.down2").input.channels == 14336);
  CHECK_THROWS_WITH(load_model("falcon-7b:layers=2,lora_rank=8,lora_ffn=1"),
                    Catch::Matchers::ContainsSubstring("\"lora_ffn\" changes nothing"));
}

TEST_CASE("a language model's name with lora behind it has MLPerf's adapters") {
  CHECK(load_model("llama3-8b-lora").name == "llama-3-8b:lora_rank=16");
  CHECK(load_model("Qwen2.5-0.5B-LoRA:lora_rank=8").name == "qwen2.5-0.5b:lora_rank=8");
  CHECK(load_model("llama2-70b-lora").name == "llama2-70b-lora");
  CHECK_THROWS_WITH(load_model("resnet50-lora"), Catch::Matchers::ContainsSubstring("lora_rank"));
  CHECK_THROWS_WITH(load_model("lama9-lora"), Catch::Matchers::ContainsSubstring("unknown workload \"lama9-lora\""));
}

TEST_CASE("a feed-forward part beside attention reads what attention reads, and both are added to it") {
  for (const char* name : {"falcon-7b:layers=2", "falcon-40b:layers=2", "gpt-neox-20b:layers=2"}) {
    const Model model = load_model(name);
    INFO(name);
    const auto of = [&](const char* layer) -> const Layer& {
      return layer_named(model, std::string("decoder.block1.") + layer);
    };
    const auto number = [&](const char* layer) { return static_cast<int>(&of(layer) - model.layers.data()); };
    const bool shared = has(model, "shared_norm");
    CHECK(of("projections").inputs == std::vector<int>{number("norm1")});
    CHECK(of("ffn.widen").inputs == std::vector<int>{number(shared ? "norm1" : "norm2")});
    if (!shared) CHECK(of("norm2").inputs == of("norm1").inputs);
    CHECK(of("joined").inputs == std::vector<int>{number("ffn.narrow"), number("projection")});
    CHECK(of("add2").inputs == std::vector<int>{number("joined"), of("norm1").inputs.front()});
  }
}
