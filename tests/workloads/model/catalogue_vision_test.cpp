#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "catch.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::int64_t output_elements(const Model& model, LayerKind kind) {
  std::int64_t sum = 0;
  for (const auto& layer : model.layers) {
    if (layer.kind == kind) sum += layer.output.elements();
  }
  return sum;
}

// Outputs of convolutions, transposed or not.
std::int64_t convolution_elements(const Model& model) {
  return output_elements(model, LayerKind::convolution) + output_elements(model, LayerKind::transposed_convolution);
}

std::int64_t normalized_channels(const Model& model) {
  std::int64_t sum = 0;
  for (const auto& layer : model.layers) {
    if (layer.kind == LayerKind::batch_normalization) sum += layer.output.channels;
  }
  return sum;
}

// Of the layers whose names start with `prefix`; as below.
std::int64_t macs_under(const Model& model, const std::string& prefix) {
  std::int64_t sum = 0;
  for (const auto& layer : model.layers) {
    if (layer.name.rfind(prefix, 0) == 0) sum += layer.macs();
  }
  return sum;
}

std::int64_t parameters_under(const Model& model, const std::string& prefix) {
  std::int64_t sum = 0;
  for (const auto& layer : model.layers) {
    if (layer.name.rfind(prefix, 0) == 0) sum += layer.parameters();
  }
  return sum;
}

int losses(const Model& model) {
  return static_cast<int>(std::count_if(model.layers.begin(), model.layers.end(), [](const Layer& layer) {
    return layer.kind == LayerKind::softmax_loss || layer.kind == LayerKind::sigmoid_loss ||
           layer.kind == LayerKind::regression_loss;
  }));
}

}  // namespace

TEST_CASE("vision models have the parameters, tensors and multiply-accumulates of their references") {
  struct Row {
    const char* name;
    std::int64_t parameters, trainable;
    int tensors;
    double giga_macs;
  };
  const Row rows[] = {
      {"inception3", 23819401, 23819401, 190, 5.713},
      {"inception4", 42649769, 42649769, 300, 12.254},
      {"ssd-resnet34", 19972534, 19972534, 131, 15.86},
      {"mask-rcnn", 44347573, 44125173, 84, 271.85},
      {"ssd300-resnet50", 22894902, 22894902, 183, 20.151},
      {"jasper", 332632349, 332632349, 326, 277.646},  // 333 M in its README
      {"minigo", 736677, 736677, 51, 0.163},
      {"amoebanet-d", 122470120, 122470120, 831, 15.170},
      {"resnext101-32x4d", 44177704, 44177704, 314, 7.970},
      {"se-resnext101-32x4d", 45251128, 45251128, 446, 7.971},
      {"efficientnet-b0", 5288548, 5288548, 213, 0.386},  // torchvision, as all that follow but two
      {"efficientnet-b4", 19341616, 19341616, 418, 4.39},
      {"efficientnet-b1", 7794184, 7794184, 301, 0.6868},
      {"efficientnet-b2", 9109994, 9109994, 301, 0.9936},
      {"efficientnet-b3", 12233232, 12233232, 340, 1.827},
      {"efficientnet-b5", 30389784, 30389784, 506, 10.266},
      {"efficientnet-b6", 43040704, 43040704, 584, 19.068},
      {"efficientnet-b7", 66347960, 66347960, 711, 37.746},
      {"squeezenet", 1248424, 1248424, 52, 0.8189},
      {"squeezenet-1.1", 1235496, 1235496, 52, 0.3492},
      {"shufflenet-v2-x1.0", 2278604, 2278604, 170, 0.1449},
      {"mnasnet-1.0", 4383312, 4383312, 158, 0.3144},
      {"mobilenet-v3-large", 5483032, 5483032, 174, 0.2166},
      {"mobilenet-v3-small", 2542856, 2542856, 142, 0.0565},
      {"inception-resnet-v2", 55843464, 55843464, 694, 13.156},
      {"xception", 22855952, 22855952, 156, 8.357},
      {"regnet-y-8gf", 39381472, 39381472, 238, 8.473},
      {"regnet-y-16gf", 83590140, 83590140, 251, 15.912},
      {"regnet-y-32gf", 145046770, 145046770, 277, 32.280},
      {"regnet-y-128gf", 644812894, 644812894, 368, 127.52},
      {"convnext-tiny", 28589128, 28589128, 182, 4.455},
      {"convnext-small", 50223688, 50223688, 344, 8.684},
      {"convnext-base", 88591464, 88591464, 344, 15.355},
      {"convnext-large", 197767336, 197767336, 344, 34.361},
      {"wide-resnet-28-10", 36479194, 36479194, 80, 5.243},
      {"resnet56-cifar", 853018, 853018, 167, 0.1255},
      {"resnet110-cifar", 1727962, 1727962, 329, 0.2529},
      {"densenet121", 7978856, 7978856, 364, 2.834},
      {"densenet161", 28681000, 28681000, 484, 7.728},
      {"densenet169", 14149480, 14149480, 508, 3.360},
      {"densenet201", 20013928, 20013928, 604, 4.291},
      {"resnext50-32x4d", 25028904, 25028904, 161, 4.230},
      {"resnext101-64x4d", 83455272, 83455272, 314, 15.460},
      {"wide-resnet101-2", 126886696, 126886696, 314, 22.753},
      {"mobilenet-v1", 4231976, 4231976, 83, 0.569},  // arXiv:1704.04861, table 4
      {"mobilenet-v2", 3504872, 3504872, 158, 0.301},
      {"googlenet", 6998552, 6998552, 116, 1.583},  // BVLC's, without its auxiliary heads
  };
  for (const auto& row : rows) {
    INFO(row.name);
    const Model model = load_model(row.name);
    CHECK(model.family == ModelFamily::convolutional);
    CHECK(model.parameters() == row.parameters);
    CHECK(model.trainable_parameters() == row.trainable);
    CHECK(model.gradient_tensors() == row.tensors);
    CHECK(double(model.macs()) / 1e9 == Approx(row.giga_macs).epsilon(0.003));
  }
}

TEST_CASE("vision models make the published elements of convolutions and normalisations") {
  struct Row {
    const char* name;
    double convolutions, normalizations;  // millions
  };
  for (const auto& row : {Row{"inception3", 8.97, 8.97}, Row{"ssd-resnet34", 11.54, 10.07}, Row{"minigo", 0.30, 0.30},
                          Row{"resnet20-cifar", 0.201, 0.201}, Row{"resnet152", 22.56, 22.56}}) {
    INFO(row.name);
    const Model model = load_model(row.name);
    CHECK(double(convolution_elements(model)) / 1e6 == Approx(row.convolutions).epsilon(0.006));
    CHECK(double(output_elements(model, LayerKind::batch_normalization)) / 1e6 ==
          Approx(row.normalizations).epsilon(0.006));
  }
}

TEST_CASE("vision models are found by their other names") {
  CHECK(load_model("inception-v3").name == "inception3");
  CHECK(load_model("ssd300").name == "ssd-resnet34");
  CHECK(load_model("maskrcnn").name == "mask-rcnn");
  CHECK(load_model("resnext101").name == "resnext101-32x4d");
}

TEST_CASE("vision models of a benchmark name its key and their data") {
  CHECK(load_model("ssd-resnet34").benchmark == "ssd");
  CHECK(load_model("mask-rcnn").benchmark == "maskrcnn");
  CHECK(load_model("minigo").benchmark == "minigo");
  CHECK(load_model("minigo").sample == "position");
  CHECK(load_model("ssd-resnet34").dataset.train_samples == 117266);
  CHECK(load_model("mask-rcnn").dataset.validation_samples == 5000);
  CHECK(load_model("inception3").dataset.train_samples == 1281167);
}

TEST_CASE("Inception v3 halves the image between its groups of modules") {
  const Model model = load_model("inception3");
  CHECK(layer_named(model, "stem.conv1").output == Shape{32, 149, 149});
  CHECK(layer_named(model, "stem.pool2").output == Shape{192, 35, 35});
  CHECK(layer_named(model, "mixed_a.block0.concat").output == Shape{256, 35, 35});
  CHECK(layer_named(model, "mixed_a.block2.concat").output == Shape{288, 35, 35});
  CHECK(layer_named(model, "reduce_b.concat").output == Shape{768, 17, 17});
  CHECK(layer_named(model, "mixed_c192.concat").output == Shape{768, 17, 17});
  CHECK(layer_named(model, "reduce_d.concat").output == Shape{1280, 8, 8});
  CHECK(layer_named(model, "mixed_e2.concat").output == Shape{2048, 8, 8});
  CHECK(layer_named(model, "head.pool").output == Shape{2048, 1, 1});
}

TEST_CASE("with a scale in each normalisation and 1000 classes the Inceptions have the published totals") {
  const Model v3 = load_model("inception3:classes=1000"), v4 = load_model("inception4:classes=1000");
  CHECK(normalized_channels(v3) == 17216);
  CHECK(v3.parameters() + normalized_channels(v3) == 23834568);  // torchvision, without the auxiliary head
  CHECK(v4.parameters() + normalized_channels(v4) == 42679816);
}

TEST_CASE("SSD scores 81 classes and places 4 offsets for 8732 default boxes") {
  const Model model = load_model("ssd-resnet34");
  CHECK(layer_named(model, "stem.pool").output == Shape{64, 75, 75});
  CHECK(layer_named(model, "stage3.block5.relu2").output == Shape{256, 38, 38});
  CHECK(layer_named(model, "extra1.relu2").output == Shape{512, 19, 19});
  CHECK(layer_named(model, "extra3.relu2").output == Shape{256, 5, 5});
  CHECK(layer_named(model, "extra5.relu2").output == Shape{256, 1, 1});
  const int boxes = 4 * (38 * 38 + 3 * 3 + 1) + 6 * (19 * 19 + 10 * 10 + 5 * 5);
  CHECK(boxes == 8732);
  CHECK(layer_named(model, "classes.scores").output == Shape{81, boxes, 1});
  CHECK(layer_named(model, "boxes.offsets").output == Shape{4, boxes, 1});
  CHECK(losses(model) == 2);
}

TEST_CASE("Mask R-CNN builds a pyramid of 256 channels and cuts its regions from it") {
  const Model model = load_model("mask-rcnn");
  CHECK(layer_named(model, "stage4.block2.relu3").output == Shape{2048, 25, 42});
  CHECK(layer_named(model, "pyramid.level2").output == Shape{256, 200, 336});
  CHECK(layer_named(model, "pyramid.level5").output == Shape{256, 25, 42});
  CHECK(layer_named(model, "pyramid.level6").output == Shape{256, 13, 21});
  const int anchors = 3 * (200 * 336 + 100 * 168 + 50 * 84 + 25 * 42 + 13 * 21);
  CHECK(layer_named(model, "proposals.objectness").output == Shape{anchors, 1, 1});
  CHECK(layer_named(model, "proposals.offsets").output == Shape{4 * anchors, 1, 1});
  CHECK(layer_named(model, "box_head.align").output == Shape{256 * 7 * 7, 512, 1});
  CHECK(layer_named(model, "box_head.offsets").output == Shape{4 * 81, 512, 1});
  CHECK(layer_named(model, "mask_head.masks").output == Shape{81, 128 * 28, 28});
  CHECK(losses(model) == 5);
}

TEST_CASE("Mask R-CNN trains all but its stem and first stage, whose normalisations own nothing") {
  const Model model = load_model("mask-rcnn");
  const std::int64_t first_stage = (64 + 256 + 256) * 64 + 3 * 9 * 64 * 64 + 3 * 64 * 256 + 64 * 256;
  CHECK(parameters_under(model, "stem.") + parameters_under(model, "stage1.") == 7 * 7 * 3 * 64 + first_stage);
  CHECK(model.parameters() - model.trainable_parameters() == 222400);
  CHECK_FALSE(layer_named(model, "stage1.block2.conv3").trainable);
  CHECK(layer_named(model, "stage2.block0.conv1").trainable);
  CHECK(load_model("mask-rcnn:classes=91").parameters() == 44401393);  // torchvision
}

TEST_CASE("Mask R-CNN's proposal head is one, applied to five levels") {
  const Model model = load_model("mask-rcnn");
  const std::int64_t head = (9 * 256 + 3 + 12) * 256 + 256 + 3 + 12;
  CHECK(parameters_under(model, "proposals.") == head);
  const std::int64_t positions = 200 * 336 + 100 * 168 + 50 * 84 + 25 * 42 + 13 * 21;
  CHECK(macs_under(model, "proposals.") == positions * (9 * 256 + 3 + 12) * 256);
}

TEST_CASE("without masks, at 800 x 800 and 1000 regions, Mask R-CNN does torchvision's 134.38 G") {
  const Model model = load_model("mask-rcnn:width=800,classes=91,regions=1000");
  // torchvision strides in the 3 x 3 convolution: the first 1 x 1 of stages 2 to 4 works on four times the positions,
  // and the 3 x 3, here already on the smaller image, is the same.
  const std::int64_t later_stride = 3LL * (256 * 128 * 100 * 100 + 512 * 256 * 50 * 50 + 1024 * 512 * 25 * 25);
  const std::int64_t detector = model.macs() - macs_under(model, "mask_head.") + later_stride;
  CHECK(double(detector) / 1e9 == Approx(134.38).epsilon(0.001));
}

TEST_CASE("MiniGo's parameters are those of a trunk and two small heads") {
  const Model model = load_model("minigo");
  const std::int64_t points = 19 * 19, width = 64, blocks = 6;
  const std::int64_t trunk = 9 * 13 * width + 2 * width + blocks * 2 * (9 * width * width + 2 * width);
  const std::int64_t policy = 2 * width + 4 + 2 * points * (points + 1) + points + 1;
  const std::int64_t value = width + 2 + points * 64 + 64 + 64 + 1;
  CHECK(model.parameters() == trunk + policy + value);
  CHECK(layer_named(model, "heads.policy").output == Shape{362, 1, 1});
  CHECK(layer_named(model, "heads.value").output == Shape{1, 1, 1});
  CHECK(model.layers[layer_named(model, "heads.value_conv").inputs[0]].name == "trunk.block5.relu2");
  CHECK(load_model("minigo:blocks=9,width=32").gradient_tensors() == 51 + 3 * 6);
}

TEST_CASE("AmoebaNet-D has the sizes of GPipe's first table") {
  struct Row {
    const char* name;
    double millions, rounding;  // as torchgpipe prints them
  };
  for (const auto& row :
       {Row{"amoebanet-d:cells=18,filters=208", 81.5, 0.05}, Row{"amoebanet-d:cells=18,filters=416", 319.0, 0.05},
        Row{"amoebanet-d:cells=18,filters=544", 542.7, 0.05}, Row{"amoebanet-d:cells=36,filters=544", 1060, 5},
        Row{"amoebanet-d:cells=72,filters=512", 1840, 5}}) {
    INFO(row.name);
    CHECK(double(load_model(row.name).parameters()) / 1e6 == Approx(row.millions).margin(row.rounding));
  }
}

TEST_CASE("eighteen more cells of AmoebaNet-D add six normal cells to each group") {
  const auto parameters = [](const char* name) { return load_model(name).parameters(); };
  // A cell of c channels reads two inputs of 4c: 1 x 1 convolutions 4c, 4c, c, c, c wide, and two bottlenecks of c / 4
  // with 1 x 7 and 7 x 1 between; a scale and a shift behind each.
  const auto cell = [](std::int64_t c) { return 11 * c * c + 2 * (2 * c * c / 4 + 14 * c * c / 16) + 17 * c; };
  CHECK(parameters("amoebanet-d:cells=36,filters=544") - parameters("amoebanet-d:cells=18,filters=544") ==
        6 * (cell(544) + cell(2 * 544) + cell(4 * 544)));
}

TEST_CASE("a cell of AmoebaNet-D reads the cell before the last beside the last") {
  const Model model = load_model("amoebanet-d");
  const auto source = [&](const char* name) { return model.layers[layer_named(model, name).inputs[0]].name; };
  CHECK(source("cells1.block3.new_relu") == "cells1.block2.out");
  CHECK(source("cells1.block3.old_relu") == "cells1.block1.out");
  CHECK(source("cells1.block1.old_relu") == "stem_reduction2.out");
  CHECK(source("cells1.block0.old_relu") == "stem_reduction1.out");
  CHECK(source("reduction1.old_relu") == "cells1.block4.out");
  CHECK(layer_named(model, "stem_reduction2.out").output == Shape{3 * 256, 28, 28});
  CHECK(layer_named(model, "cells3.block5.out").output == Shape{4 * 1024, 7, 7});
}

TEST_CASE("squeeze and excitation adds two small convolutions with bias to each block of ResNeXt") {
  const Model plain = load_model("resnext101-32x4d"), squeezed = load_model("se-resnext101-32x4d");
  std::int64_t added = 0;
  for (const auto& [blocks, channels] : {std::pair{3, 256}, {4, 512}, {23, 1024}, {3, 2048}}) {
    added += std::int64_t{blocks} * (2 * 16 * channels + 16 + channels);
  }
  CHECK(squeezed.parameters() - plain.parameters() == added);
  CHECK(layer_named(plain, "stage2.block0.conv2").groups == 32);
  CHECK(layer_named(plain, "stage4.block2.relu3").output == Shape{2048, 7, 7});
  CHECK(layer_named(squeezed, "stage1.block0.scaled").output == Shape{256, 56, 56});
}

TEST_CASE("EfficientNet's wide squeeze widens two convolutions of each block behind the first stage") {
  const Model base = load_model("efficientnet-b0"), wide = load_model("efficientnet-widese-b0");
  struct Stage {
    int blocks, channels;  // that read so many channels
  };
  std::int64_t added = 0;
  for (const auto& stage :
       {Stage{1, 16}, {1, 24}, {1, 24}, {1, 40}, {1, 40}, {2, 80}, {1, 80}, {2, 112}, {1, 112}, {3, 192}, {1, 192}}) {
    const std::int64_t more = 6 * stage.channels / 4 - stage.channels / 4;
    added += stage.blocks * more * (2 * 6 * stage.channels + 1);
  }
  CHECK(wide.parameters() - base.parameters() == added);
  CHECK(layer_named(base, "stage7_first.project_bn").output == Shape{320, 7, 7});
  CHECK(layer_named(load_model("efficientnet-b4"), "head.conv").output == Shape{1792, 12, 12});
}
