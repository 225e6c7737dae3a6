#include "workloads/lowering/parallelism.hpp"

#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::workloads;

TEST_CASE("each word of a request and its alias set the same, and nothing else is a word") {
  std::set<std::string> seen;
  for (const ParallelismWord& word : parallelism_words()) {
    INFO(word.name);
    CHECK_FALSE(word.meaning.empty());
    CHECK(is_parallelism_word(word.name));
    CHECK_NOTHROW(check_parallelism(word.name + "=2"));
    CHECK(seen.insert(word.name).second);
    if (word.alias.empty()) continue;
    CHECK(seen.insert(word.alias).second);
    const ParallelismRequest by_name = parse_parallelism(word.name + "=2", 2),
                             by_alias = parse_parallelism(word.alias + "=2", 2);
    CHECK(by_name.parallelism == by_alias.parallelism);
    CHECK(by_name.micro_batch == by_alias.micro_batch);
    CHECK(by_name.interleave == by_alias.interleave);
    CHECK(by_name.expert_tensor == by_alias.expert_tensor);
  }
  CHECK(parse_parallelism("tp=2,cp=4", 16).parallelism[Axis::context] == 4);
  CHECK(parse_parallelism("etp=2,vpp=3", 1).expert_tensor == 2);
  CHECK(parse_parallelism("etp=2,vpp=3", 1).interleave == 3);
  for (const char* word : {"columns", "replica", "", "tensors"}) CHECK_FALSE(is_parallelism_word(word));
  CHECK_THROWS_WITH(check_parallelism("tensor=2,tp=2"),
                    Catch::Matchers::ContainsSubstring("\"tensor\" is given twice"));
}
