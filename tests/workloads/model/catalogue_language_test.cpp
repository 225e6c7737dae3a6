#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

double macs(const std::string& name) { return double(load_model(name).macs()); }

// Forward FLOP of one sequence of a GPT by its sizes alone: 24 s L h^2 (1 + s / (6 h) + V / (12 h L)), Narayanan et
// al., arXiv:2104.04473, section 3, forward part. Attention counts all pairs.
double gpt_flop(double layers, double hidden, double sequence, double vocabulary) {
  return 24 * sequence * layers * hidden * hidden * (1 + sequence / (6 * hidden) + vocabulary / (12 * hidden * layers));
}

}  // namespace

TEST_CASE("language, recommender and linear models have the published parameters and tensors") {
  struct Row {
    const char* name;
    std::int64_t parameters;
    int tensors;
    double giga_macs;
  };
  // Parameters and tensors are those of the public implementations, in Llama and its like with one tensor for queries,
  // keys and values and one for both halves of a gated part; multiply-accumulates by count of the matrix products.
  const Row rows[] = {
      {"bert-large", 336226108, 398, 169.96},
      {"bert-large-128", 336226108, 398, 40.11},
      {"bert-base", 110106428, 206, 11.655},
      {"bert-large-squad", 334094338, 391, 123.21},
      {"bert-base-squad", 108893186, 199, 35.335},
      {"gnmt", 160671297, 44, 28 * 0.1275},
      {"gnmt-mlbench", 160671297, 44, 28 * 0.1275},
      {"transformer-big", 210878464, 253, 6.052},
      {"transformer-big-mlperf", 210808832, 185, 6.052},
      {"transformer-big-mlperf:vocabulary=33708", 210804736, 185, 6.052},
      {"transformer-mlbench", 210878464, 253, 6.052},
      {"awd-lstm", 33556078, 14, 68 * 0.0335},
      {"logreg-epsilon", 2000, 1, 2e-6},
      {"dlrm", 24036595969, 42, 0.002365 + 0.000093},
      {"ncf", 31832577, 12, 0.000107},
      {"bart-large", 406291456, 511, 52.893},
      {"t5-small", 60506112, 129, 17.71},
      {"t5-base", 222902784, 255, 70.99},
      {"t5-large", 737667072, 507, 240.70},
      {"t5-3b", 2851596288, 507, 951.53},
      {"t5-11b", 11307313152, 507, 3794.88},
      {"t5-v1.1-small", 76960768, 172, 17.71},
      {"t5-v1.1-base", 247577088, 256, 70.99},
      {"t5-v1.1-large", 783149056, 508, 244.63},
      {"t5-v1.1-xl", 2849755136, 508, 890.99},
      {"t5-v1.1-xxl", 11135328256, 508, 3483.39},
      {"opt-350m", 331194368, 292, 879.50},
      {"mt5-small", 300176384, 172, 65.122},
      {"mt5-base", 582400512, 256, 192.76},
      {"mt5-large", 1229580288, 508, 573.64},
      {"mt5-xl", 3742617600, 508, 1951.4},
      {"mt5-xxl", 12921053184, 508, 7308.3},
      {"albert-base", 11813810, 32, 48.669},
      {"albert-large", 17847474, 32, 167.87},
      {"albert-xlarge", 59021490, 32, 644.70},
      {"albert-xxlarge", 223158450, 32, 1263.3},
      {"electra-small", 14196219, 402, 1.497},
      {"electra-base", 119386427, 400, 56.960},
      {"electra-large", 354655291, 784, 183.46},
      {"whisper-tiny", 37184640, 166, 35.541},
      {"whisper-base", 71825920, 244, 75.526},
      {"whisper-small", 240582912, 478, 271.64},
      {"whisper-medium", 762321920, 946, 869.06},
      {"whisper-large-v3", 1541570560, 1258, 1724.2},
      {"vit-tiny16", 5679400, 198, 1.247},
      {"vit-b32", 88185064, 198, 4.322},
      {"vit-l32", 306483176, 390, 15.071},
      {"vit-g14", 1012248168, 646, 265.96},
      {"vit-gigantic14", 1844011368, 774, 481.83},
      {"swin-tiny", 28265032, 161, 4.491},
      {"swin-small", 49558600, 305, 8.741},
      {"swin-base", 87704680, 305, 15.431},
      {"swin-large", 196437160, 305, 34.476},
      {"transformer-xl-base", 191949274, 218, 18.069},
      {"transformer-xl-large", 285509498, 252, 134.243},
      {"gpt2", 124439808, 148, 145.8},
      {"gpt2-xl", 1557611200, 580, 1754},
      {"gpt-1.3b", 1315723264, 292, 3097},
      {"gpt-6.7b", 6658404352, 388, 14715},
      {"gpt-13b", 12853386240, 484, 28015},
      {"llama-2-7b", 6738415616, 195, 31460.6},
      {"llama-2-13b", 13015864320, 243, 59512.1},
      {"llama-2-70b", 68976648192, 483, 303439.4},
      {"llama-3-8b", 8030261248, 195, 79070.3},
      {"llama-3-70b", 70553706496, 483, 657319},
      {"mixtral-8x7b", 46702792704, 227, 56616.3},
      {"dlrm-dcnv2", 26151671809, 51, 0.016030},
      {"rgat", 15180199, 77, 1.73998},
      {"gpt3-175b", 174604259328, 1156, 367400},
      {"gpt3-175b:vocabulary=51200", 174615846912, 1156, 367400},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    const Model model = load_model(row.name);
    CHECK(model.parameters() == row.parameters);
    CHECK(model.trainable_parameters() == row.parameters);
    CHECK(model.gradient_tensors() == row.tensors);
    CHECK(double(model.macs()) / 1e9 == Approx(row.giga_macs).epsilon(0.005));
  }
}

TEST_CASE("aliases name the same models") {
  CHECK(load_model("bert").name == "bert-large");
  CHECK(load_model("transformer").name == "transformer-big");
  CHECK(load_model("awd-lstm-wikitext2").name == "awd-lstm");
  CHECK(load_model("logreg").name == "logreg-epsilon");
  CHECK(load_model("logistic-regression").name == "logreg-epsilon");
  CHECK(load_model("dlrm-criteo-tb").name == "dlrm");
  CHECK(load_model("gpt2-124m").name == "gpt2");
}

TEST_CASE("the phases of BERT differ by two numbers that can be given by hand") {
  const Model by_hand = load_model("bert-large:sequence=128,predictions=20"), phase = load_model("bert-large-128");
  CHECK(by_hand.macs() == phase.macs());
  CHECK(by_hand.parameters() == phase.parameters());
  CHECK(phase.sample == "sequence of 128 tokens");
  CHECK(by_hand.sample == phase.sample);
  CHECK(load_model("bert-large").benchmark == "bert");
  CHECK(phase.benchmark.empty());
}

TEST_CASE("BERT's work is its encoder, its masked-LM head and two small products") {
  // 24 layers of 12 h^2 weights and two products of all pairs of tokens; 76 tokens through the transform and the table.
  const double h = 1024, s = 512;
  const double encoder = 24 * (12 * h * h * s + 2 * s * s * h);
  const double head = 76 * (h * h + h * 30522) + h * h + 2 * h;
  CHECK(macs("bert-large") == encoder + head);
}

TEST_CASE("R-GAT's work is its relations' projections") {
  // Twelve relations project and score their sources, and a layer its targets; 2 983 topics of one paper.
  const double h = 512, relations = 12;
  const auto layer = [&](double inputs, double targets, double sources) {
    return targets * inputs * h + relations * sources * (inputs * h + h);
  };
  CHECK(macs("rgat") == layer(1024, 160, 240) + layer(h, 16, 40) + layer(h, 1, 4) + h * 2983);
  const double own_and_relations = (1 + relations) * h * (1024 + 2 * h) + 3 * relations * h;
  CHECK(double(load_model("rgat").parameters()) == own_and_relations + (h + 1) * 2983);
}

TEST_CASE("tied output layers of BERT and AWD-LSTM own their bias and no weights") {
  for (const auto& [name, layer, bias] :
       {std::tuple{"bert-large", "heads.decoder", 30522}, {"awd-lstm", "decoder", 33278}}) {
    INFO(name);
    const Model model = load_model(name);
    CHECK(layer_named(model, layer).parameter_tensors() == std::vector<std::int64_t>{bias});
  }
  const Model gpt = load_model("gpt2");
  CHECK(layer_named(gpt, "head.logits").parameters() == 0);
  CHECK(layer_named(gpt, "head.logits").macs() == std::int64_t{1024} * 768 * 50257);
}

TEST_CASE("a token of GNMT's source and one of its target cost 127.5 M multiply-accumulates together") {
  // 46.1 M in either stack of layers, 33.1 M in the classifier, 2.1 M in the projections of attention.
  CHECK(macs("gnmt:source=1,target=1") == Approx(127.5e6).epsilon(0.001));
}

TEST_CASE("GNMT's decoder reads the context in every layer but the first") {
  const Model model = load_model("gnmt");
  CHECK(layer_named(model, "encoder.lstm1").output.channels == 2048);
  CHECK(layer_named(model, "decoder.lstm1").input.channels == 1024);
  CHECK(layer_named(model, "decoder.lstm2").input.channels == 2048);
  CHECK(layer_named(model, "decoder.deep.block1.lstm").input.channels == 2048);
  CHECK(layer_named(model, "decoder.context").parameters() == 2 * 1024 + 1);
}

TEST_CASE("the Transformer costs 75.5 M a source token, 100.7 M a target token and 34.5 M in the output layer") {
  // Of the decoder's 100.7 M, 12.6 M project the encoder's output and so go with the source.
  const double base = macs("transformer-big:source=1,target=1");
  const double attention = 6 * 3 * 2 * 1024;  // one pair of tokens in 18 attentions
  CHECK(base - attention == Approx(75.5e6 + 100.7e6 + 34.5e6).epsilon(0.001));
  const double longer = macs("transformer-big:source=2,target=1") - base - 6 * 1024 * (3 * 2 + 2);
  CHECK(longer == Approx(75.5e6 + 12.6e6).epsilon(0.001));
}

TEST_CASE("a token of AWD-LSTM costs 33.5 M multiply-accumulates") {
  CHECK(macs("awd-lstm:sequence=1") == Approx(33.5e6).epsilon(0.001));
  CHECK(load_model("awd-lstm").dataset.train_samples == std::llround(2088628 / 68.25));
}

TEST_CASE("DLRM is 26 sparse tables of 187,767,399 rows and 16 dense tensors of 2.4 M parameters") {
  const Model model = load_model("dlrm");
  std::int64_t sparse = 0, dense = 0;
  std::size_t tables = 0, tensors = 0;
  for (const auto& layer : model.layers) {
    (layer.sparse ? sparse : dense) += layer.parameters();
    (layer.sparse ? tables : tensors) += layer.parameter_tensors().size();
  }
  CHECK(sparse == std::int64_t{187767399} * 128);
  CHECK(dense == 2368897);
  CHECK(tables == 26);
  CHECK(tensors == 16);
  CHECK(model.dataset.train_samples == 4195197692);
  CHECK(model.dataset.validation_samples == 89137319);
}

TEST_CASE("DLRM's interaction makes 351 products of 27 rows behind the bottom vector") {
  const Model model = load_model("dlrm");
  CHECK(layer_named(model, "interaction").output == Shape{128 + 27 * 26 / 2, 1, 1});
  CHECK(layer_named(model, "interaction").macs() == 27 * 27 * 128);
}

TEST_CASE("GPT models follow the closed form of their sizes") {
  CHECK(2 * macs("gpt2") == Approx(gpt_flop(12, 768, 1024, 50257)).epsilon(1e-12));
  CHECK(2 * macs("gpt2-xl") == Approx(gpt_flop(48, 1600, 1024, 50257)).epsilon(1e-12));
  CHECK(2 * macs("gpt3-175b") == Approx(gpt_flop(96, 12288, 2048, 50257)).epsilon(1e-12));
  CHECK(2 * macs("gpt2:layers=3,hidden=64,heads=4,sequence=32,vocabulary=100") ==
        Approx(gpt_flop(3, 64, 32, 100)).epsilon(1e-12));
}

TEST_CASE("GPipe's Transformer has the parameters of the paper's table 1") {
  struct Row {
    const char* name;
    double parameters, rounding;
  };
  // The 83.9 G of 1663 layers are beyond the reader's limit on layers; the steps between rows are 50.36 M a layer.
  const Row rows[] = {{"gpipe-transformer:layers=3", 282.2e6, 0.05e6},
                      {"gpipe-transformer:layers=13", 785.8e6, 0.05e6},
                      {"gpipe-transformer:layers=103", 5.3e9, 0.05e9},
                      {"gpipe-transformer:layers=415", 21.0e9, 0.05e9},
                      {"gpipe-transformer:layers=1663", 83.9e9, 0.05e9}};
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(std::abs(double(load_model(row.name).parameters()) - row.parameters) <= row.rounding);
  }
}

TEST_CASE("GPipe's translation Transformer has 1.3 G parameters deep or wide, then 3 G and 6 G") {
  const auto giga = [](const char* name) { return double(load_model(name).parameters()) / 1e9; };
  CHECK(giga("gpipe-translation:layers=24,feed_forward=8192,heads=16") == Approx(1.3).margin(0.05));
  CHECK(giga("gpipe-translation:layers=12") == Approx(1.3).margin(0.05));
  CHECK(giga("gpipe-translation:layers=32") == Approx(3).margin(0.5));
  CHECK(giga("gpipe-translation") == Approx(6).margin(0.5));
}

TEST_CASE("GShard's models have the weights of the paper's table 1 within 7 %") {
  // The paper's figures are round; its own counts of experts (18 and 6 layers of them) give 3 to 7 % more.
  struct Row {
    const char* name;
    double giga;
  };
  const Row rows[] = {{"gshard-moe", 600},
                      {"gshard-moe:layers=12", 200},
                      {"gshard-moe:experts=512", 150},
                      {"gshard-moe:experts=512,layers=12", 50},
                      {"gshard-moe:experts=128", 37},
                      {"gshard-moe:experts=128,layers=12", 12.5},
                      {"gshard-moe:layers=60", 1000}};
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(double(load_model(row.name).parameters()) / 1e9 == Approx(row.giga).epsilon(0.07));
  }
}

TEST_CASE("experts add weights and hardly any work") {
  const Model few = load_model("gshard-moe:experts=128"), many = load_model("gshard-moe");
  CHECK(many.parameters() > 15 * few.parameters());
  CHECK(double(many.macs()) / double(few.macs()) == Approx(1).margin(0.03));  // the gates grow
}

TEST_CASE("MLBench's and MLPerf's tasks carry their keys and targets") {
  struct Row {
    const char *name, *benchmark, *target;
  };
  const Row rows[] = {
      {"bert-large", "bert", "masked-LM accuracy 0.72"}, {"gnmt", "gnmt", "BLEU 24.0"},
      {"transformer-big", "transformer", "BLEU 25.0"},   {"dlrm", "dlrm", "AUC 0.8025"},
      {"awd-lstm", "awd-lstm", "perplexity 70"},         {"logreg-epsilon", "logreg", "89 % accuracy"},
      {"gnmt-mlbench", "gnmt-mlbench", "BLEU 24.0"},     {"transformer-mlbench", "transformer-mlbench", "BLEU 25.0"}};
  for (const auto& row : rows) {
    const Model model = load_model(row.name);
    CHECK(model.benchmark == row.benchmark);
    CHECK(model.target == row.target);
  }
}
