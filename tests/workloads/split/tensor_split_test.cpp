#include "workloads/split/tensor_split.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "workloads/model/model_text.hpp"
#include "workloads/split/tensor_layout.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const Layer& layer_of(const Model& model, const std::string& name) {
  const auto found =
      std::find_if(model.layers.begin(), model.layers.end(), [&](const Layer& l) { return l.name == name; });
  REQUIRE(found != model.layers.end());
  return *found;
}

double up(double count, int ranks) { return std::ceil(count / ranks); }

struct Widths {
  double hidden, feed_forward, heads, vocabulary;
};

// Parameters of a rank, counted from the widths: a part of the products and of the biases of what is split by outputs,
// the whole of the other biases and of the normalisations.
double encoder_block(const Widths& w, int t) {
  return (4 * w.hidden * w.hidden + 2 * w.hidden * w.feed_forward + 3 * w.hidden + w.feed_forward) / t + 2 * w.hidden +
         4 * w.hidden;
}
double decoder_block(const Widths& w, int t) {
  return encoder_block(w, t) + (4 * w.hidden * w.hidden + 3 * w.hidden) / t + w.hidden + 2 * w.hidden;
}

}  // namespace

TEST_CASE("a rank has the parameters that its widths give") {
  for (const int t : {1, 2, 4, 8}) {
    INFO(t << " ranks");
    const Widths bert{1024, 4096, 16, 30522};
    const double h = bert.hidden;
    const double heads = h * h + h + 2 * h + up(bert.vocabulary, t) + (h * h + h) / t + 2 * h / t + 2;
    const double places = (2 + 512) * h + 2 * h;
    CHECK(double(split_tensor(load_model("bert-large"), t, false).model.parameters()) ==
          24 * encoder_block(bert, t) + up(bert.vocabulary, t) * h + places + heads);

    const Widths gpt{12288, 4 * 12288, 96, 50257};
    CHECK(double(split_tensor(load_model("gpt3-175b"), t, false).model.parameters()) ==
          96 * encoder_block(gpt, t) + up(gpt.vocabulary, t) * gpt.hidden + 2048 * gpt.hidden + 2 * gpt.hidden);

    const Widths big{1024, 4096, 16, 33712};
    CHECK(double(split_tensor(load_model("transformer-big"), t, false).model.parameters()) ==
          6 * encoder_block(big, t) + 6 * decoder_block(big, t) + up(big.vocabulary, t) * big.hidden);
  }
  const Widths small{768, 4 * 768, 12, 50257};
  for (const int t : {1, 2, 3, 4, 6, 12}) {
    INFO(t << " ranks");
    CHECK(double(split_tensor(load_model("gpt2"), t, 1024 % t == 0).model.parameters()) ==
          12 * encoder_block(small, t) + up(small.vocabulary, t) * small.hidden + 1024 * small.hidden +
              2 * small.hidden);
  }
}

TEST_CASE("the parts of all ranks are the model") {
  const std::pair<const char*, int> cases[] = {{"bert-large", 8},       {"gpt2", 6},       {"gpt3-175b", 8},
                                               {"transformer-big", 16}, {"gshard-moe", 4}, {"vgg16", 4}};
  for (const auto& [name, ranks] : cases) {
    INFO(name << " on " << ranks);
    const Model whole = load_model(name);
    const Model part = split_tensor(whole, ranks, false).model;
    std::int64_t parameters = 0, split_macs = 0, whole_macs = 0, odd = 0;
    for (std::size_t i = 0; i < whole.layers.size(); ++i) {
      const Layer &all = whole.layers[i], &one = part.layers[i];
      INFO(all.name);
      const auto tensors = all.parameter_tensors(), parts = one.parameter_tensors();
      REQUIRE(tensors.size() == parts.size());
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const bool replicated = parts[p] == tensors[p];
        const std::int64_t sum = replicated ? parts[p] : parts[p] * ranks;
        const std::int64_t unit = one.kind == LayerKind::embedding ? one.output.channels : one.input.channels;
        CHECK(sum >= tensors[p]);
        CHECK(sum - tensors[p] < ranks * unit);  // of a vocabulary: less than a row for each rank
        if (sum != tensors[p]) odd += sum - tensors[p];
        parameters += sum;
      }
      if (one.macs() == all.macs()) continue;
      const bool vocabulary = all.output.channels % ranks != 0;
      if (!vocabulary) CHECK(one.macs() * ranks == all.macs());
      split_macs += one.macs() * ranks;
      whole_macs += all.macs();
    }
    CHECK(parameters - odd == whole.parameters());
    CHECK(whole_macs > 0);
    CHECK(double(split_macs) == Approx(double(whole_macs)).epsilon(1e-4));
  }
}

TEST_CASE("layers are split by how the graph reads them") {
  const Model model = load_model("gpt2");
  const TensorLayout layout = find_tensor_layout(model, 4, false);
  const auto role = [&](const std::string& name) { return layout.roles[&layer_of(model, name) - model.layers.data()]; };
  CHECK(role("embeddings.words") == TensorRole::table);
  CHECK(role("embeddings.position") == TensorRole::whole);
  CHECK(role("decoder.block3.norm1") == TensorRole::whole);
  CHECK(role("decoder.block3.projections") == TensorRole::column);
  CHECK(role("decoder.block3.attention") == TensorRole::channels);
  CHECK(role("decoder.block3.projection") == TensorRole::row);
  CHECK(role("decoder.block3.ffn.widen") == TensorRole::column);
  CHECK(role("decoder.block3.ffn.narrow") == TensorRole::row);
  CHECK(role("head.logits") == TensorRole::column);
  CHECK(role("head.loss") == TensorRole::channels);
  const Model part = split_tensor(model, 4, false).model;
  CHECK(layer_of(part, "decoder.block3.attention").heads == 3);
  CHECK(layer_of(part, "decoder.block3.attention").output == Shape{192, 1024, 1});
  CHECK(layer_of(part, "decoder.block3.projections").output == Shape{3 * 192, 1024, 1});
  CHECK(layer_of(part, "decoder.block3.projection").exchanged);
  CHECK_FALSE(layer_of(part, "decoder.block3.ffn.widen").exchanged);
}

TEST_CASE("what a normalisation reads whole stays whole on every rank") {
  // The layer before the masked-LM head's normalisation, as in Megatron-LM's BertLMHead.
  const Model part = split_tensor(load_model("bert-large"), 8, false).model;
  CHECK(layer_of(part, "heads.transform").output.channels == 1024);
  CHECK(layer_of(part, "heads.decoder").output.channels == 3816);  // of 30,522
  CHECK(layer_of(part, "heads.pooler").output.channels == 128);
  CHECK(layer_of(part, "heads.next_sentence").input.channels == 128);
}

TEST_CASE("a gate stays whole and experts are split like dense layers") {
  const Model part = split_tensor(load_model("gshard-moe:layers=4,experts=1024"), 4, false).model;
  CHECK(layer_of(part, "encoder.block0.mixture.gate").output.channels == 1024);
  CHECK(layer_of(part, "encoder.block0.mixture.widen").output.channels == 2048);
  CHECK(layer_of(part, "encoder.block0.mixture.narrow").input.channels == 2048);
}

TEST_CASE("a branch that must meet a whole one is not split") {
  const Model model = read_between(
      "  - {layer: flatten, name: flat}\n"
      "  - {layer: dense, name: a, outputs: 192, input: flat}\n"
      "  - {layer: add, name: sum, shortcut: flat}\n"
      "  - {layer: dense, name: b, outputs: 64, input: sum}\n"
      "  - {layer: relu, name: relu}\n"
      "  - {layer: dense, name: c, outputs: 64}\n"
      "  - {layer: relu, name: relu2}\n");
  const ShardedModel part = split_tensor(model, 4, false);
  CHECK(layer_of(part.model, "a").output.channels == 192);
  CHECK(layer_of(part.model, "b").output.channels == 16);
  CHECK(layer_of(part.model, "c").input.channels == 16);
  CHECK(layer_of(part.model, "classifier").output.channels == 2);
}

TEST_CASE("one rank has the model as it is") {
  const ShardedModel part = split_tensor(load_model("bert-large"), 1, true);
  CHECK(part.exchanges.empty());
  CHECK(part.model.parameters() == load_model("bert-large").parameters());
  CHECK(part.notes.empty());
}

TEST_CASE("layers that stay whole are told") {
  const ShardedModel part = split_tensor(load_model("vgg16"), 4, false);
  REQUIRE(part.notes.size() == 1);
  CHECK(part.notes.front() == "tensor: layers that every rank computes whole: 13 convolution");
}

TEST_CASE("on tokens a rank's replicated layers have partial gradients") {
  const Model model = load_model("gpt2");
  for (const bool sequence : {false, true}) {
    const ShardedModel part = split_tensor(model, 4, sequence);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const Layer& layer = model.layers[i];
      if (layer.parameters() == 0) continue;
      INFO(layer.name);
      const bool replicated = layer.kind == LayerKind::layer_normalization || layer.name == "embeddings.position";
      CHECK(part.gradient_axes[i].has(Axis::tensor) == (sequence && replicated));
      CHECK(part.gradient_axes[i].has(Axis::data));
    }
    CHECK(layer_of(part.model, "decoder.block0.norm1").output == Shape{768, sequence ? 256 : 1024, 1});
    CHECK(layer_of(part.model, "decoder.block0.projections").input == Shape{768, 1024, 1});
  }
}

TEST_CASE("a low-rank adapter narrows on every rank, and what it adds to is split") {
  for (const auto& name : {"llama2-70b-lora", "llama-3-70b"}) {
    INFO(name);
    const Model part = split_tensor(load_model(name), 4, true).model;
    const auto of_block = [&](const std::string& layer) { return layer_of(part, "decoder.block0." + layer); };
    CHECK(of_block("projections").output.channels == (8192 + 2 * 1024) / 4);
    CHECK(of_block("attention").heads == 64 / 4);
    CHECK(of_block("attention").kv_heads == 8 / 4);
    CHECK(of_block("ffn.widen").output.channels == 2 * 28672 / 4);
  }
  const Model adapted = split_tensor(load_model("llama2-70b-lora"), 4, true).model;
  CHECK(layer_of(adapted, "decoder.block0.down1").output.channels == 16);
  CHECK(layer_of(adapted, "decoder.block0.up1").output.channels == 10240 / 4);
}

TEST_CASE("more ranks than heads of keys and values have one of them each") {
  for (const auto& [ranks, kv_heads] : {std::pair{4, 2}, {8, 1}, {16, 1}, {32, 1}}) {
    INFO(ranks << " ranks");
    const Model part = split_tensor(load_model("llama-3-8b:layers=1"), ranks, true).model;
    const Layer& attention = layer_of(part, "decoder.block0.attention");
    CHECK(attention.heads == 32 / ranks);
    CHECK(attention.kv_heads == kv_heads);
    const int packed = (32 / ranks + 2 * kv_heads) * 128;
    CHECK(attention.input.channels == packed);
    CHECK(attention.output.channels == 4096 / ranks);
    CHECK(layer_of(part, "decoder.block0.projections").output.channels == packed);
    CHECK(layer_of(part, "decoder.block0.rotary").input.channels == packed);
    CHECK(layer_of(part, "decoder.block0.projection").input.channels == 4096 / ranks);
  }
  CHECK_THROWS_WITH(split_tensor(load_model("llama-3-8b:heads=48,head_size=128"), 12, false),
                    Catch::Matchers::ContainsSubstring("12 does not divide the 8 heads of keys and values"));
}

TEST_CASE("latent attention splits heads, and what presses queries and keys stays whole") {
  const Model part = split_tensor(load_model("deepseek-v3:layers=4"), 8, false).model;
  const auto of_block = [&](const std::string& layer) { return layer_of(part, "decoder.block3." + layer); };
  CHECK(of_block("down_queries").output.channels == 1536);
  CHECK(of_block("latent").output.channels == 512 + 64);
  CHECK(of_block("up_queries").output.channels == 128 * 192 / 8);
  CHECK(of_block("up_keys").output.channels == 128 * 256 / 8);
  CHECK(of_block("latent_rotary").others[1].channels == 512 + 64);
  CHECK(of_block("attention").heads == 16);
  CHECK(of_block("mixture.router").output.channels == 256);
  CHECK(of_block("mixture.widen").output.channels == 2 * 2048 / 8);
  CHECK(of_block("mixture.shared_narrow").input.channels == 2048 / 8);
}
