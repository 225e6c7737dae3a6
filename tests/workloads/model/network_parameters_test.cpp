// Networks for pictures, speech, clicks and texts have the size and the work that are published.
#include <vector>

#include "published_counts.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("networks have the parameters that are published, to the unit") {
  // The second number of a difference is what the head of the file says is left out.
  const std::vector<PublishedCount> rows{
      // deepinsight/insightface, backbones/iresnet.py (65.2 M and 43.6 M), without the slopes of PReLU and a
      // frozen scale; and the classifier
      {"iresnet100", 65156160 - 11136 - 512 + 85742 * 512},
      {"iresnet50", 43590848 - 5888 - 512 + 85742 * 512},
      // openai/CLIP and mlfoundations/open_clip, docs/model_profile.csv, without the temperature
      {"clip-vit-b32", 151277313 - 1},
      {"clip-vit-b16", 149620737 - 1},
      {"clip-vit-l14", 427616513 - 1},
      {"clip-vit-h14", 986109441 - 1},
      // facebookresearch/DiT without the fixed table of positions
      {"dit-xl-2", 675129632 - 256 * 1152},
      // black-forest-labs on Hugging Face, the elements of transformer/*.safetensors
      {"flux.1-schnell", 11891178560},
      {"flux.1-dev", 11901408320},
      // torchvision, the metadata of its weights
      {"efficientnetv2-s", 21458488},
      {"efficientnetv2-m", 54139356},
      {"efficientnetv2-l", 118515272},
      {"fcn-resnet50", 35322218},
      {"fcn-resnet101", 54314346},
      {"deeplabv3-resnet50", 42004074},
      {"deeplabv3-resnet101", 60996202},
      {"faster-rcnn-resnet50-fpn", 41755286},
      // huggingface/pytorch-image-models: of its code; its tables of results have them in millions
      {"mlp-mixer-b16", 59880472},
      {"mlp-mixer-s16", 18528264},
      {"mlp-mixer-l16", 208196168},
      {"resnest50", 27483240},
      {"resnet50-v2", 25549352},
      {"resnet101-v2", 44541480},
      {"resnet200", 64673832},
      {"nasnet-large", 88753150},
      {"nasnet-mobile", 5289978},
      // ultralytics: what it prints of a model; of YOLOv8 without the 16 fixed distances
      {"yolov3", 61949149},
      {"yolov5n", 1872157},
      {"yolov5s", 7235389},
      {"yolov5m", 21190557},
      {"yolov5l", 46563709},
      {"yolov5x", 86749405},
      {"yolov8n", 3157200 - 16},
      {"yolov8s", 11166560 - 16},
      {"yolov8m", 25902640 - 16},
      {"yolov8l", 43691520 - 16},
      {"yolov8x", 68229648 - 16},
      // Checkpoints on Hugging Face: without a vector for masked frames, the lengths of the weight normalisation and
      // the pooler
      {"wav2vec2-base", 95044608 - 768 - 128},
      {"bart-base", 139420416},
      {"mbart-large", 610851840},
      {"pegasus-large", 568699904},
      {"xlnet-base", 116718336 - 12 * 5 * 768 - 768 + 769 * 768 + 769 * 3},  // and the head of its fine-tuning
      // google/mobilebert-uncased, and its heads: transform, bias of words, matrix of other channels, next sentence
      {"mobilebert", 24581888 + 512 * 513 + 1024 + 30522 + 384 * 30522 + 2 * 513},
      {"minilm-l6", 22713216 - 384 * 384 - 384}};
  check_counts(rows, &Model::parameters);
}

TEST_CASE("networks with frozen parts learn the parameters that are published") {
  const std::vector<PublishedCount> rows{
      // the U-Nets of CompVis/stable-diffusion v1.5 and Stability-AI/generative-models sd_xl_base_1.0
      {"sd-v1.5", 859520964},
      {"sdxl", 2567463684},
      // facebookresearch/detr, as its main.py counts
      {"detr-resnet50", 41302368}};
  check_counts(rows, &Model::trainable_parameters);
}

TEST_CASE("networks have nearly the parameters that are published in millions") {
  const std::vector<PublishedCount> rows{
      {"mobilefacenet", 0.995584 + 85742 * 128e-6},  // the paper's 0.99 M and the classifier
      {"dit-l-2", 458.0},                            // arXiv:2212.09748, table 4; as the two below
      {"dit-b-2", 130.5},
      {"dit-s-2", 33.0},
      {"swinv2-tiny", 28.35},  // huggingface/pytorch-image-models, results; as the two below
      {"swinv2-small", 49.73},
      {"swinv2-base", 87.92},
      {"resnet26", 16.0},
      {"unet-2d", 31.03},
      {"xlm-roberta-base", 278.30},   // with the head of masked words; here a next-sentence head beside
      {"xlm-roberta-large", 560.14},  // likewise
      {"detr-resnet101", 60.4},
      {"wav2vec2-large", 317.0},   // arXiv:2006.11477, table 1
      {"hubert-base", 95.0},       // arXiv:2106.07447, table I
      {"modernbert-base", 149.0},  // arXiv:2412.13663, section 2
      {"modernbert-large", 395.0},
      {"deberta-v3-base", 184.0},  // arXiv:2111.09543, section 5: 86 M and the words' 98 M
      {"deberta-v3-large", 435.0}};
  check_counts(rows, &Model::parameters, 0.005, 1e6);
}

TEST_CASE("networks multiply as often as is published") {
  const std::vector<PublishedCount> rows{
      {"iresnet100", 12.09 + 0.0439},    // 24.2 GFLOP in InsightFace's tables, and the classifier
      {"mobilefacenet", 0.221 + 0.011},  // arXiv:1804.07573, table 2, and the classifier
      // half of open_clip's GFLOP
      {"clip-vit-b32", 7.39},
      {"clip-vit-b16", 20.545},
      {"clip-vit-l14", 87.665},
      {"clip-vit-h14", 190.84},
      {"flux.1-schnell", 20.3e3 / 6},  // MODEL_TFLOP_PER_SAMPLE of NVIDIA's code in MLPerf v5.1
      {"dit-xl-2", 118.64},            // arXiv:2212.09748, tables 4 and 6
      {"dit-xl-2:image=64", 524.6},
      {"dit-l-2", 80.71},
      {"dit-b-2", 23.01},
      {"dit-s-2", 6.06},
      {"mlp-mixer-b16", 12.62},  // huggingface/pytorch-image-models, results
      {"swinv2-tiny", 5.96},
      {"swinv2-base:window=16", 22.02},
      {"resnest50", 5.40},
      {"resnet200", 15.07},
      {"nasnet-large", 23.89},
      {"nasnet-mobile", 0.564},
      {"efficientnetv2-s:image=384", 8.366},  // torchvision, the metadata of its weights
      {"efficientnetv2-m:image=480", 24.582},
      {"efficientnetv2-l:image=480", 56.08},
      {"fcn-resnet50", 152.717},
      {"fcn-resnet101", 232.738},
      {"deeplabv3-resnet50", 178.722},
      {"deeplabv3-resnet101", 258.743},
      {"yolov3", 65.86 / 2},  // half of their GFLOP: pjreddie.com/darknet/yolo, ultralytics
      {"yolov5s", 16.5 / 2},
      {"yolov5l", 109.1 / 2},
      {"yolov8s", 28.6 / 2},
      {"yolov8l", 165.2 / 2}};
  check_counts(rows, &Model::macs, 0.012, 1e9);
}
