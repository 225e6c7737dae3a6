#include "workloads/model/operator.hpp"

#include <string>

#include "catch.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

using Tensors = std::vector<std::int64_t>;

// What the layer `name` of a model on `inputs` makes, owns and multiplies.
struct Row {
  std::string inputs, layers;
  Shape output;
  Tensors tensors;
  std::int64_t macs;
};

// The last of `layers`, with a dense layer and a loss behind.
Layer last_layer(const Row& row) {
  const Model model = read_text(with_inputs(row.inputs, row.layers));
  return model.layers[model.layers.size() - 3];
}

void check(const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    INFO(row.layers);
    const Layer layer = last_layer(row);
    CHECK(layer.output == row.output);
    CHECK(layer.parameter_tensors() == row.tensors);
    CHECK(layer.macs() == row.macs);
  }
}

const std::string kImage = "{image: {channels: 6, height: 8, width: 10}}";
const std::string kSequence = "{x: {features: 6, tokens: 5}}";
const std::string kIds = "{ids: {tokens: 5}}";

}  // namespace

TEST_CASE("the table has each kind once, under its name") {
  CHECK(names<LayerKind>().size() == static_cast<std::size_t>(LayerKind::host_work) + 1);
  for (std::size_t i = 0; i < names<LayerKind>().size(); ++i) {
    const Operator& op = operator_of(static_cast<LayerKind>(i));
    CHECK(static_cast<std::size_t>(op.kind) == i);
    CHECK(op.name == names<LayerKind>()[i]);
    CHECK(op.shape != nullptr);
    CHECK(op.work != nullptr);
    CHECK(op.kept != nullptr);
  }
  CHECK(operator_of(LayerKind::regression_loss).name == "regression_loss");
  CHECK(operator_of(LayerKind::lstm).operator_class == OperatorClass::matrix_product);
}

TEST_CASE("convolutions slide their window over the padded image") {
  check({
      {kImage, "  - {layer: convolution, name: c, channels: 4, kernel: 3}\n", {4, 8, 10}, {216}, 17280},
      // Rows: (8 + 0 - 3) / 1 + 1; columns: (10 + 2 - 5) / 2 + 1. Weights 3*5*6*4.
      {kImage,
       "  - {layer: convolution, name: c, channels: 4, kernel: [3, 5], stride: [1, 2], padding: [0, 1], bias: true}\n",
       {4, 6, 4},
       {360, 4},
       360 * 24},
      {kImage, "  - {layer: convolution, name: c, channels: 4, kernel: [1, 7]}\n", {4, 8, 10}, {168}, 168 * 80},
      // Each of 2 groups: 3 input and 2 output channels.
      {kImage, "  - {layer: convolution, name: c, channels: 4, kernel: 3, groups: 2}\n", {4, 8, 10}, {108}, 108 * 80},
      // Depthwise.
      {kImage, "  - {layer: convolution, name: c, channels: 6, kernel: 3, groups: 6}\n", {6, 8, 10}, {54}, 54 * 80},
      // (8 - 1) * 2 + 2 rows, (10 - 1) * 2 + 2 columns; each input pixel meets 2*2*6*4 weights.
      {kImage,
       "  - {layer: transposed_convolution, name: c, channels: 4, kernel: 2, stride: 2, bias: true}\n",
       {4, 16, 20},
       {96, 4},
       96 * 80},
      {kImage,
       "  - {layer: transposed_convolution, name: c, channels: 4, kernel: 4, stride: 2, padding: 1}\n",
       {4, 16, 20},
       {384},
       384 * 80},
  });
}

TEST_CASE("dense layers act on every position") {
  check({
      {kSequence, "  - {layer: dense, name: d, outputs: 4}\n", {4, 5, 1}, {24, 4}, 24 * 5},
      {kImage, "  - {layer: dense, name: d, outputs: 4, bias: false}\n", {4, 8, 10}, {24}, 24 * 80},
      {kImage,
       "  - {layer: flatten, name: f}\n  - {layer: dense, name: d, outputs: 4}\n",
       {4, 1, 1},
       {480 * 4, 4},
       480 * 4},
      // 8 experts of 6 x 4, each token through 2 of them.
      {kSequence,
       "  - {layer: expert_dense, name: d, outputs: 4, experts: 8, chosen: 2}\n",
       {4, 5, 1},
       {192, 32},
       2 * 24 * 5},
  });
}

TEST_CASE("an lstm has four gates per direction") {
  check({
      {kSequence, "  - {layer: lstm, name: l, hidden: 3}\n", {3, 5, 1}, {72, 36, 12}, 5 * 12 * 9},
      {kSequence, "  - {layer: lstm, name: l, hidden: 3, biases: 0}\n", {3, 5, 1}, {72, 36}, 5 * 12 * 9},
      {kSequence,
       "  - {layer: lstm, name: l, hidden: 3, directions: 2, biases: 2}\n",
       {6, 5, 1},
       {72, 36, 12, 12, 72, 36, 12, 12},
       2 * 5 * 12 * 9},
  });
}

TEST_CASE("attention multiplies queries with keys and weights with values") {
  const std::string two = "{q: {features: 6, tokens: 5}, k: {features: 6, tokens: 7}, v: {features: 8, tokens: 7}}";
  check({
      {kSequence, "  - {layer: attention, name: a, heads: 2, keys: x, values: x}\n", {6, 5, 1}, {}, 2 * 5 * 5 * 6},
      {two, "  - {layer: attention, name: a, heads: 2, keys: k, values: v}\n", {8, 5, 1}, {}, 5 * 7 * (6 + 8)},
      {two, "  - {layer: additive_attention, name: a, keys: k, values: v}\n", {8, 5, 1}, {6, 1, 6}, 5 * 7 * 8},
  });
}

TEST_CASE("the interaction of 26 tables of width 128 has 351 products, 0.0933 M multiply-accumulates") {
  // As in DLRM for Criteo: 27 vectors, 27 * 26 / 2 pairs behind the vector itself, 27 * 27 * 128 products computed.
  check({{"{dense: {features: 128}, rows: {features: 128, tokens: 26}}",
          "  - {layer: dot_interaction, name: i, embeddings: rows}\n",
          {128 + 351, 1, 1},
          {},
          93312}});
}

TEST_CASE("embeddings look up rows without multiplying") {
  check({
      {kIds, "  - {layer: embedding, name: e, rows: 4000000000, width: 4}\n", {4, 5, 1}, {16000000000}, 0},
      {kIds,
       "  - {layer: embedding_bag, name: e, rows: [3, 5, 2, 1, 9], width: 4}\n",
       {4, 5, 1},
       {12, 20, 8, 4, 36},
       0},
      {kIds, "  - {layer: embedding_bag, name: e, rows: [9, 5], pooled: [3, 2], width: 4}\n", {4, 2, 1}, {36, 20}, 0},
      {kImage, "  - {layer: roi_align, name: r, regions: 10, size: 7, form: flat}\n", {6 * 49, 10, 1}, {}, 0},
      {kImage, "  - {layer: roi_align, name: r, regions: 10, size: 7, form: stacked}\n", {6, 70, 7}, {}, 0},
  });
  CHECK(last_layer({kIds, "  - {layer: embedding_bag, name: e, rows: [3, 5, 2, 1, 9], width: 4}\n", {}, {}, 0}).sparse);
  CHECK_FALSE(last_layer({kIds, "  - {layer: embedding, name: e, rows: 9, width: 4}\n", {}, {}, 0}).sparse);
}

TEST_CASE("normalisations have a scale and a shift per channel, each optional") {
  check({
      {kImage, "  - {layer: batch_normalization, name: n}\n", {6, 8, 10}, {6, 6}, 0},
      {kImage, "  - {layer: batch_normalization, name: n, scale: false}\n", {6, 8, 10}, {6}, 0},
      {kSequence, "  - {layer: layer_normalization, name: n}\n", {6, 5, 1}, {6, 6}, 0},
      {kSequence, "  - {layer: layer_normalization, name: n, scale: false, shift: false}\n", {6, 5, 1}, {}, 0},
  });
}

TEST_CASE("pointwise layers and host work keep the shape") {
  for (const std::string kind : {"relu", "gelu", "tanh", "sigmoid", "dropout"}) {
    check({{kImage, "  - {layer: " + kind + ", name: p}\n", {6, 8, 10}, {}, 0}});
  }
  const std::string factors =
      "{image: {channels: 6, height: 8, width: 10}, gate: {channels: 1, height: 8, width: 10}, squeeze: {features: 6}}";
  const std::string both =
      "  - {layer: multiply, name: g, with: gate}\n  - {layer: multiply, name: s, with: squeeze}\n";
  check({
      {kImage, "  - {layer: add, name: s, shortcut: image}\n", {6, 8, 10}, {}, 0},
      {kImage, "  - {layer: multiply, name: s, with: image}\n", {6, 8, 10}, {}, 0},
      {factors, both, {6, 8, 10}, {}, 0},
      {kImage, "  - {layer: host_work, name: h, time: 2 ms}\n", {6, 8, 10}, {}, 0},
  });
  CHECK(last_layer({kImage, "  - {layer: host_work, name: h, time: 2 ms}\n", {}, {}, 0}).host_time == Seconds(0.002));
}

TEST_CASE("pools and views change the shape only") {
  const std::string two = "{a: {channels: 6, height: 8, width: 10}, b: {channels: 2, height: 8, width: 10}}";
  const std::string levels = "{a: {channels: 6, height: 8, width: 10}, b: {channels: 6, height: 4, width: 5}}";
  check({
      {kImage, "  - {layer: max_pool, name: p, kernel: 2}\n", {6, 4, 5}, {}, 0},
      {kImage, "  - {layer: average_pool, name: p, kernel: [8, 10]}\n", {6, 1, 1}, {}, 0},
      {kImage, "  - {layer: max_pool, name: p, kernel: 3, stride: 2, padding: 1}\n", {6, 4, 5}, {}, 0},
      {kImage, "  - {layer: upsample, name: u, factor: 2}\n", {6, 16, 20}, {}, 0},
      {kImage, "  - {layer: flatten, name: f}\n", {480, 1, 1}, {}, 0},
      {kImage, "  - {layer: reshape, name: r, channels: 3, height: 160}\n", {3, 160, 1}, {}, 0},
      {kImage, "  - {layer: select, name: s, positions: 7}\n", {6, 7, 1}, {}, 0},
      {two, "  - {layer: concat, name: c, with: b}\n", {8, 8, 10}, {}, 0},
      {two, "  - {layer: concat, name: c, with: [b, a, b]}\n", {16, 8, 10}, {}, 0},
      {levels, "  - {layer: concat, name: c, with: b, axis: positions}\n", {6, 100, 1}, {}, 0},
  });
}

TEST_CASE("losses keep the shape of what they judge") {
  for (const std::string kind : {"softmax_loss", "sigmoid_loss", "regression_loss"}) {
    const Model model =
        read_text(kHead + "layers:\n  - {layer: dense, name: d, outputs: 2}\n  - {layer: " + kind + ", name: l}\n");
    CHECK(model.layers[1].output == Shape{2, 8, 8});
    CHECK(model.layers[1].parameters() == 0);
  }
}

TEST_CASE("a convolution's outputs and multiplications are what its loops count") {
  // The plain loops over every place of the window, with skipped taps on the padding counted as work.
  struct Window {
    int height, width, kernel_height, kernel_width, stride, padding_height, padding_width, groups;
  };
  for (const Window w : {Window{8, 10, 3, 5, 1, 1, 2, 2},
                         {9, 7, 1, 7, 2, 0, 3, 1},
                         {8, 8, 4, 3, 3, 0, 1, 4},
                         {5, 11, 5, 2, 2, 4, 1, 2}}) {
    const int inputs = 8, outputs = 12;
    std::int64_t rows = 0, columns = 0, macs = 0;
    for (int y = -w.padding_height; y + w.kernel_height <= w.height + w.padding_height; y += w.stride) {
      ++rows;
      columns = 0;
      for (int x = -w.padding_width; x + w.kernel_width <= w.width + w.padding_width; x += w.stride) {
        ++columns;
        for (int out = 0; out < outputs; ++out) {
          const int group = out / (outputs / w.groups);
          for (int in = 0; in < inputs; ++in) {
            if (in / (inputs / w.groups) == group) macs += w.kernel_height * w.kernel_width;
          }
        }
      }
    }
    const Layer layer = last_layer(
        {"{image: {channels: 8, height: " + std::to_string(w.height) + ", width: " + std::to_string(w.width) + "}}",
         "  - {layer: convolution, name: c, channels: 12, kernel: [" + std::to_string(w.kernel_height) + ", " +
             std::to_string(w.kernel_width) + "], stride: " + std::to_string(w.stride) + ", padding: [" +
             std::to_string(w.padding_height) + ", " + std::to_string(w.padding_width) +
             "], groups: " + std::to_string(w.groups) + "}\n",
         {},
         {},
         0});
    CHECK(layer.output.height == rows);
    CHECK(layer.output.width == columns);
    CHECK(layer.macs() == macs);
  }
}
