#include "workloads/model/model_catalogue.hpp"

#include <set>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "workloads/model/model.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A base with parameters and an alias, one like it, one like that.
const std::string kBase = kHead +
                          "aliases: [basis]\n"
                          "benchmark: ssd\n"
                          "parameters: {width: 4, blocks: 2}\n"
                          "layers:\n"
                          "  - block: b\n"
                          "    repeat: blocks\n"
                          "    layers:\n"
                          "      - {layer: convolution, name: c, channels: width, kernel: 1}\n" +
                          kTail;
const std::string kWide = "like: basis\ntitle: Wide\nparameters: {width: 16}\n";
const std::string kWider = "like: wide\nbenchmark: none\nparameters: {width: 32}\n";

// `extra` and `another` outlive the catalogue.
ModelCatalogue catalogue_of(std::string_view extra = "", std::string_view another = "") {
  std::vector<EmbeddedFile> files{{"convergence/toy.yaml", "not: a model"},
                                  {"models/base.yaml", kBase},
                                  {"models/wide.yaml", kWide},
                                  {"models/wider.yaml", kWider}};
  if (!extra.empty()) files.push_back({"models/extra.yaml", extra});
  if (!another.empty()) files.push_back({"models/another.yaml", another});
  return ModelCatalogue(files);
}

}  // namespace

TEST_CASE("a model is found by name and alias, and has its own name") {
  const ModelCatalogue catalogue = catalogue_of();
  CHECK(catalogue.names() == std::vector<std::string>{"base", "wide", "wider"});
  CHECK(catalogue.load("base").name == "base");
  CHECK(catalogue.load("basis").name == "base");
}

TEST_CASE("parameters make a model another network than its benchmark's, unless they are a layout of it") {
  using Changed = std::map<std::string, std::int64_t>;
  const ModelCatalogue catalogue = catalogue_of("like: basis\ntitle: Laid out\nlayouts: {width: [8, 12]}\n",
                                                "like: basis\ntitle: Own\nbenchmark: ssd\nparameters: {width: 16}\n");
  CHECK(catalogue.load("base").changed.empty());
  CHECK(catalogue.load("base:width=4").changed.empty());
  CHECK(catalogue.load("base:width=8,blocks=3").changed == Changed{{"blocks", 2}, {"width", 4}});
  CHECK(catalogue.load("wide").changed == Changed{{"width", 4}});
  CHECK(catalogue.load("wide:width=4").changed.empty());
  CHECK(catalogue.load("extra:width=12").changed.empty());
  CHECK(catalogue.load("extra:width=16").changed == Changed{{"width", 4}});
  CHECK(catalogue.load("another").changed.empty());  // says itself whose epochs it takes
  CHECK(catalogue.load("another:width=4").changed == Changed{{"width", 16}});
  const ModelCatalogue wrong = catalogue_of("like: basis\ntitle: Wrong\nlayouts: {widht: [8]}\n");
  CHECK_THROWS_WITH(wrong.load("extra"), ContainsSubstring("did you mean \"width\"?"));
}

TEST_CASE("a model that is like another differs in what it says") {
  const Model base = catalogue_of().load("base"), wide = catalogue_of().load("wide");
  CHECK(wide.name == "wide");
  CHECK(wide.title == "Wide");
  CHECK(wide.target == base.target);
  CHECK(wide.benchmark == "ssd");
  CHECK(wide.layers.size() == base.layers.size());
  CHECK(wide.layers[0].output == Shape{16, 8, 8});
  const Model wider = catalogue_of().load("wider");
  CHECK(wider.title == "Wide");
  CHECK(wider.benchmark.empty());
  CHECK(wider.layers[0].output == Shape{32, 8, 8});
}

TEST_CASE("overrides behind a colon go before the file's values and are part of the name") {
  const ModelCatalogue catalogue = catalogue_of();
  const Model model = catalogue.load("basis:width=8,blocks=3");
  CHECK(model.name == "base:blocks=3,width=8");
  CHECK(model.layers.size() == 5);
  CHECK(model.layers[2].output == Shape{8, 8, 8});
  CHECK(catalogue.load("wide:width=5").layers[0].output.channels == 5);
}

TEST_CASE("case, dashes and underscores do not matter in a workload's name") {
  CHECK(catalogue_of().load("Base").name == "base");
  CHECK(catalogue_of().load("BA_SIS:width=8").name == "base:width=8");  // an alias
  for (const auto& [written, meant] : {std::pair("ResNet50", "resnet50"),
                                       {"ResNet-50", "resnet50"},
                                       {"BERT-Large", "bert-large"},
                                       {"GPT2_XL", "gpt2-xl"}})
    CHECK(load_model(written).name == meant);
  std::set<std::string> keys;
  for (const auto& name : model_names()) CHECK(keys.insert(name_key(name)).second);
}

TEST_CASE("wrong names and overrides are refused with the nearest word") {
  const ModelCatalogue catalogue = catalogue_of();
  const std::pair<const char*, const char*> rows[] = {
      {"bsae", "unknown workload \"bsae\"; did you mean \"base\"?"},
      {"basiss", "unknown workload \"basiss\"; did you mean \"basis\"?"},
      {"xyzzyplugh", "unknown workload \"xyzzyplugh\"; known: base, wide, wider"},
      {"", "unknown workload \"\"; known: base, wide, wider"},
      {"base:widht=3", "base:widht=3: unknown parameter \"widht\"; did you mean \"width\"?"},
      {"base:width", "base:width: \"width\" is not PARAMETER=NUMBER"},
      {"base:", "base:: \"\" is not PARAMETER=NUMBER"},
      {"base:=3", "base:=3: \"=3\" is not PARAMETER=NUMBER"},
      {"base:width=", "base:width=: \"\" is not a whole number"},
      {"base:width=x", "base:width=x: \"x\" is not a whole number"},
      {"base:width=3,width=4", "base:width=3,width=4: the parameter \"width\" stands twice"},
      {"base:width=0", "models/base.yaml:15: 0 is below the smallest possible value, 1"},
  };
  for (const auto& [name, message] : rows) {
    INFO(name);
    CHECK_THROWS_AS(catalogue.load(name), InputError);
    CHECK_THROWS_WITH(catalogue.load(name), ContainsSubstring(message));
  }
}

TEST_CASE("a wrong likeness is refused with its line") {
  const std::pair<const char*, const char*> rows[] = {
      {"title: E\nlike: extra\n", "models/extra.yaml:2: extra is like itself (extra)"},
      {"title: E\nlike: another\n", "models/another.yaml:1: extra is like itself (extra like another)"},
      {"title: E\nlike: bsae\n", "models/extra.yaml:2: unknown workload \"bsae\"; did you mean \"base\"?"},
      {"like: base\nlayers: []\n", "models/extra.yaml:2: \"layers\" cannot stand beside \"like\": it comes from there"},
      {"like: base\nparameters: {widht: 3}\n",
       "models/extra.yaml:2: unknown parameter \"widht\"; did you mean \"width\"?"},
      {"like: base\ntitel: E\n", "models/extra.yaml:2: unknown key \"titel\"; did you mean \"title\"?"},
  };
  for (const auto& [text, message] : rows) {
    INFO(text);
    const ModelCatalogue catalogue = catalogue_of(text, "like: extra\n");
    CHECK_THROWS_AS(catalogue.load("extra"), InputError);
    CHECK_THROWS_WITH(catalogue.load("extra"), ContainsSubstring(message));
  }
}

TEST_CASE("an alias that stands for two models is refused") {
  CHECK_THROWS_WITH(catalogue_of("like: base\naliases: [basis]\n").load("basis"),
                    ContainsSubstring("models/extra.yaml:2: \"basis\" stands for two models, extra and base"));
  CHECK_THROWS_WITH(catalogue_of("like: base\naliases: [wide]\n").load("basis"),
                    ContainsSubstring("models/extra.yaml:2: \"wide\" stands for two models, extra and wide"));
}

TEST_CASE("no alias of the built-in catalogue stands for two models") {
  CHECK(load_model("resnet").name == "resnet50");
  CHECK(load_model("resnet50-v1.5").name == "resnet50");
}

TEST_CASE("a model is found by its repository, and by a release of the same layers") {
  CHECK(load_model("meta-llama/Llama-3.1-8B").name == "llama-3-8b");
  CHECK(load_model("meta-llama/Meta-Llama-3-70B-Instruct").name == "llama-3-70b");
  CHECK(load_model("Qwen/Qwen2.5-7B-Instruct:sequence=2048").name == "qwen2.5-7b:sequence=2048");
  CHECK(load_model("mistral-7b-instruct-v0.3").name == "mistral-7b");
  CHECK(load_model("llama-2-7b-hf").name == "llama-2-7b");
  CHECK(load_model("ViT-L/16").name == "vit-l16");
  CHECK(load_model("DiT-XL/2").name == "dit-xl-2");
  CHECK(load_model("google/gemma-2-9b-it-lora").name == "gemma-2-9b:lora_rank=16");
  CHECK_THROWS_WITH(load_model("nosuch/llama-3-8b-x"), ContainsSubstring("cannot be opened"));
  CHECK_THROWS_WITH(load_model("chat"), ContainsSubstring("unknown workload"));
  CHECK_THROWS_WITH(load_model("meta-"), ContainsSubstring("unknown workload"));
}

TEST_CASE("a file of one's own may be like a model of the catalogue and takes overrides") {
  const std::string path = std::string(MLSIM_SOURCE_DIR) + "/examples/own-machine/small.yaml";
  CHECK(load_model(path).name == "small");
  CHECK_THROWS_WITH(load_model(path + ":layers=2"),
                    path + ":layers=2: unknown parameter \"layers\"; the model has none");
}

TEST_CASE("models of the user's own stand beside those of the catalogue, the first of a name counts") {
  const std::vector<EmbeddedFile> built_in{{"models/base.yaml", kBase}};
  const std::string own = "like: basis\ntitle: Own\nparameters: {width: 16}\n";
  const std::string other = "like: basis\ntitle: Other\nparameters: {width: 32}\n";
  const ModelCatalogue catalogue(built_in, {{"a/mine.yaml", own}, {"b/mine.yaml", other}});
  CHECK(catalogue.names() == std::vector<std::string>{"base", "mine"});
  CHECK(catalogue.load("mine").title == "Own");
  CHECK_THROWS_WITH(ModelCatalogue(built_in, {{"a/base.yaml", own}}),
                    ContainsSubstring("a/base.yaml: base is a workload of mlsim's own"));
  const ModelCatalogue slip(built_in, {{"a/mine.yaml", "like: bases\ntitle: Own\n"}});
  CHECK_THROWS_WITH(slip.load("mine"), ContainsSubstring("a/mine.yaml:1: unknown workload"));
}
