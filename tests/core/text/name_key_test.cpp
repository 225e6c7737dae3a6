#include "core/text/spelling.hpp"

#include "catch.hpp"

using namespace mlsim;

TEST_CASE("names differ by more than case, dashes, underscores and blanks") {
  for (const std::string name : {"resnet50", "ResNet50", "ResNet-50", "res_net 50"})
    CHECK(name_key(name) == "resnet50");
  CHECK(name_key("p3.2xlarge") != name_key("p32xlarge"));
  CHECK(name_key("Llama 3_3B") == name_key("llama-3-3b"));
  CHECK(name_key("llama-3-3b") != name_key("llama-33b"));
  CHECK(name_key("-3b-") == "3b");
}

TEST_CASE("a name is found by its letters before it is found by its key") {
  const std::vector<std::string> names{"bert-large", "bert_large", "gpt2"};
  CHECK(name_among(names, "bert_large") == "bert_large");
  CHECK(name_among(names, "BERT-Large") == "bert-large");
  CHECK(name_among(names, "GPT-2") == "gpt2");
  CHECK_FALSE(name_among(names, "bert"));
  CHECK_FALSE(name_among(names, ""));
}
