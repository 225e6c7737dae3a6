// A plan that cannot work, asked for in JSON, is answered in JSON by every command.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a refusal as JSON is the same object from every command") {
  const ScratchFolder folder;
  const std::string job = " --topology gce-v100 --workload bert-large --batch-per-accelerator 32 --as-is",
                    output = folder.path("refusal.json");
  for (const std::string command : {"predict", "explain"}) {
    INFO(command);
    const ProgramRun run = run_mlsim(command + job + " --format json");
    CHECK(run.code == 1);
    CHECK(run.err.empty());
    const auto refusal = nlohmann::json::parse(run.out);
    CHECK(refusal["feasible"] == false);
    CHECK_THAT(refusal["reason"].get<std::string>(), ContainsSubstring("V100 SXM2 16 GB holds 16.0 GiB"));
    CHECK(refusal["nearest"]["quantities"][0]["value"] == 28);
    CHECK(run_mlsim(command + job + " --format json --output '" + output + "'").code == 1);
    CHECK(text_of(output) == run.out);
    const ProgramRun text = run_mlsim(command + job);
    CHECK(text.code == 1);
    CHECK(text.out.empty());
    CHECK_THAT(text.err, ContainsSubstring("mlsim: ") && ContainsSubstring("V100 SXM2 16 GB holds 16.0 GiB"));
  }
}
