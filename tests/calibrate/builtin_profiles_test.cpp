#include "calibrate/builtin_profiles.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("built-in profiles cover the accelerators of the published runs") {
  const auto profiles = builtin_profiles();
  for (const std::string accelerator :
       {"tpu-v2", "tpu-v3", "tpu-v4", "k80", "p100-sxm2", "v100-sxm2-16gb", "v100-sxm2-32gb", "v100-sxm3-32gb", "t4",
        "a100-sxm4-40gb", "a100-sxm4-80gb", "h100-sxm5", "h200-sxm"}) {
    INFO(accelerator);
    const auto found =
        std::find_if(profiles.begin(), profiles.end(), [&](const auto& p) { return p.accelerator == accelerator; });
    REQUIRE(found != profiles.end());
    CHECK_FALSE(found->efficiency.empty());
    CHECK_FALSE(found->stacks.empty());
  }
}

TEST_CASE("every figure of a built-in profile has a source") {
  for (const auto& profile : builtin_profiles()) {
    INFO(profile.accelerator);
    for (const auto& curve : profile.efficiency) CHECK_FALSE(curve.source.source.empty());
    for (const auto& term : profile.stacks) CHECK_FALSE(term.source.source.empty());
  }
}

TEST_CASE("built-in profiles read back as they were written") {
  for (const auto& profile : builtin_profiles()) {
    const Profile again = profile_from_json(to_json(profile), "again");
    CHECK(again.efficiency == profile.efficiency);
    CHECK(again.stacks == profile.stacks);
  }
}

TEST_CASE("built-in profiles say what their files say") {
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(MLSIM_SOURCE_DIR "/calibrate/catalogue")) {
    const std::string written = to_json(load_profile(file.path().string()));
    for (const auto& profile : builtin_profiles()) found += to_json(profile) == written;
  }
  CHECK(found == 14);
}
