#include "sim/expert/batch_candidates.hpp"

#include "catch.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a language model's batch has the tokens that a recipe of its size has, and more on a large machine") {
  const auto batch = [](const char* name, int ranks) { return usual_language_batch(load_model(name), ranks); };
  CHECK(batch("llama3-8b", 8) == 256);  // 2 M tokens of 8192 each
  CHECK(batch("llama3-8b", 64) == 256);
  CHECK(batch("llama3-70b", 2048) == 4096);   // two each, as NVIDIA/dgxc-benchmarking has it
  CHECK(batch("llama3-70b", 16384) == 4096);  // no more than so many tokens are a step
  CHECK(batch("llama3-8b:sequence=4096", 8) == 512);
  CHECK(batch("gpt3-175b", 1024) == 2048);     // 3.2 M tokens of 2048, as a power of two
  CHECK(batch("llama3-405b", 16384) == 2048);  // as it was trained
  CHECK(batch("qwen3-30b-a3b:sequence=4096", 8) == 512);
  CHECK(batch("llama3-8b:sequence=1048576", 8) == 2);
  CHECK(batch("gpt3-175b", 32768) == 4096);  // a sample on every 8 accelerators
}

TEST_CASE("adapters take two sequences of 8192 tokens on each accelerator") {
  CHECK(usual_language_batch(load_model("llama3-8b:lora_rank=16"), 8) == 16);
  CHECK(usual_language_batch(load_model("llama3-8b:lora_rank=16,sequence=4096"), 8) == 32);
}
