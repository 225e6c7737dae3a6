#include "workloads/model/model.hpp"

#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/layer_named.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::int64_t model_output_elements(const Model& model, LayerKind kind) {
  std::int64_t sum = 0;
  for (const auto& layer : model.layers) {
    if (layer.kind == kind) sum += layer.output.elements();
  }
  return sum;
}

}  // namespace

TEST_CASE("the catalogue's networks have the published parameters, tensors and multiply-accumulates") {
  struct Row {
    const char* name;
    std::int64_t parameters;
    int tensors;
    double giga_macs;
  };
  // Totals of torchvision and tf_cnn_benchmarks; multiply-accumulates by layer-by-layer count.
  const Row rows[] = {
      {"resnet50", 25557032, 161, 4.0892},
      {"resnet50-v1", 25557032, 161, 3.8580},
      {"resnet18", 11689512, 62, 1.8140},
      {"resnet34", 21797672, 110, 3.6636},
      {"resnet101", 44549160, 314, 7.8014},
      {"wide-resnet50-2", 68883240, 161, 11.398},
      {"vgg11", 132863336, 22, 7.6091},
      {"vgg13", 133047848, 26, 11.3083},
      {"vgg19", 143667240, 38, 19.632},
      {"vit-l16", 304326632 - 202752, 390, 61.2334},  // without a class token and places
      {"resnet101-v1", 44549160, 314, 7.570},
      {"resnet152", 60192808, 467, 11.514},
      {"resnet152-v1", 60192808, 467, 11.282},
      {"vgg16", 138357544, 32, 15.470},
      {"alexnet", 61842345, 16, 0.8388},
      {"resnet20-cifar", 272474, 65, 0.0408},
      {"resnet20-v2", 272282, 61, 0.0408},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    const Model model = load_model(row.name);
    CHECK(model.name == row.name);
    CHECK(model.parameters() == row.parameters);
    CHECK(model.gradient_tensors() == row.tensors);
    CHECK(double(model.macs()) / 1e9 == Approx(row.giga_macs).margin(row.giga_macs < 1 ? 5e-5 : 5e-4));
  }
}

TEST_CASE("every model of the catalogue loads under its name") {
  for (const auto& name : model_names()) {
    INFO(name);
    const Model model = load_model(name);
    CHECK(model.name == name);
    CHECK(model.trainable_parameters() > 0);
    CHECK(model.trainable_parameters() <= model.parameters());
    CHECK(model.inputs.size() >= 1);
  }
}

TEST_CASE("one sample of ResNet-50 makes 11.11 M elements of convolutions and as many of normalisations") {
  const Model model = load_model("resnet50");
  // Stem 64*112^2; stage s: blocks of (w + w + 4w) maps, the first conv1 on the larger image, and a 4w projection.
  const std::int64_t stem = 64 * 112 * 112;
  const std::int64_t stage1 = (3 * 6 + 4) * 64 * 56 * 56;
  const std::int64_t stage2 = (4 * 6 + 4) * 128 * 28 * 28 + 128 * (56 * 56 - 28 * 28);
  const std::int64_t stage3 = (6 * 6 + 4) * 256 * 14 * 14 + 256 * (28 * 28 - 14 * 14);
  const std::int64_t stage4 = (3 * 6 + 4) * 512 * 7 * 7 + 512 * (14 * 14 - 7 * 7);
  const std::int64_t by_hand = stem + stage1 + stage2 + stage3 + stage4;
  CHECK(model_output_elements(model, LayerKind::convolution) == by_hand);
  CHECK(model_output_elements(model, LayerKind::batch_normalization) == by_hand);
  CHECK(double(by_hand) / 1e6 == Approx(11.11).margin(0.005));
}

TEST_CASE("ResNet-50 halves the image and doubles the channels from stage to stage") {
  const Model model = load_model("resnet50");
  CHECK(layer_named(model, "stem.conv").output == Shape{64, 112, 112});
  CHECK(layer_named(model, "stem.pool").output == Shape{64, 56, 56});
  CHECK(layer_named(model, "stage1.block2.relu3").output == Shape{256, 56, 56});
  CHECK(layer_named(model, "stage2.block3.relu3").output == Shape{512, 28, 28});
  CHECK(layer_named(model, "stage3.block5.relu3").output == Shape{1024, 14, 14});
  CHECK(layer_named(model, "stage4.block2.relu3").output == Shape{2048, 7, 7});
  CHECK(layer_named(model, "head.pool").output == Shape{2048, 1, 1});
  CHECK(layer_named(model, "head.classifier").output == Shape{1000, 1, 1});
}

TEST_CASE("version 1.5 strides in the 3x3 convolution, version 1 in the first 1x1") {
  const Model v15 = load_model("resnet50"), v1 = load_model("resnet50-v1");
  CHECK(layer_named(v15, "stage3.block0.conv1").stride == Extent{1, 1});
  CHECK(layer_named(v15, "stage3.block0.conv2").stride == Extent{2, 2});
  CHECK(layer_named(v1, "stage3.block0.conv1").stride == Extent{2, 2});
  CHECK(layer_named(v1, "stage3.block0.conv2").stride == Extent{1, 1});
  CHECK(layer_named(v15, "stage3.block1.conv2").stride == Extent{1, 1});
}

TEST_CASE("a first block adds the projected shortcut, later blocks what entered them") {
  const Model model = load_model("resnet50");
  const Layer& first = layer_named(model, "stage2.block0.add");
  CHECK(model.layers[first.inputs[0]].name == "stage2.block0.bn3");
  CHECK(model.layers[first.inputs[1]].name == "stage2.block0.shortcut_bn");
  const Layer& second = layer_named(model, "stage2.block1.add");
  CHECK(model.layers[second.inputs[0]].name == "stage2.block1.bn3");
  CHECK(model.layers[second.inputs[1]].name == "stage2.block0.relu3");
  CHECK_THROWS(layer_named(model, "stage2.block1.shortcut_conv"));
}

TEST_CASE("ResNet-50 states its data, target and source") {
  const Model model = load_model("resnet50");
  CHECK(model.dataset.train_samples == 1281167);
  CHECK(model.dataset.validation_samples == 50000);
  CHECK(model.target == "75.9 % top-1");
  CHECK(model.benchmark == "resnet");
  CHECK(model.source.provenance == Provenance::published);
}

TEST_CASE("a model is found by path as by name") {
  const std::string path = std::string(MLSIM_SOURCE_DIR) + "/workloads/catalogue/models/resnet50.yaml";
  CHECK(load_model(path).parameters() == load_model("resnet50").parameters());
  CHECK(load_model(path).name == "resnet50");
  CHECK_THROWS_WITH(load_model("resnet5"), "unknown workload \"resnet5\"; did you mean \"resnet50\"?");
  CHECK_THROWS_AS(load_model("./nowhere.yaml"), InputError);
  CHECK_THROWS_AS(load_model(""), InputError);
}
