#include "validation/scores/row_figures.hpp"

#include <set>
#include <string>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "namespace.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// Predicts every `stride`-th run anew, from the `first`, and holds the stored table to it.
void check_stored(std::size_t first, std::size_t stride) {
  std::vector<Case> drawn;
  std::size_t place = 0;
  for (const Case& c : published_cases())
    if (states_a_run(c) && place++ % stride == first) drawn.push_back(c);
  REQUIRE(drawn.size() >= 5000 / stride);
  std::set<std::string> answered;
  for (const RowFigure& run : unseen_runs(drawn, builtin_profiles())) {
    INFO(run.id << ": mlsim validate unseen --output validation/published/derived/unseen_runs.csv");
    const auto stored = stored_unseen_run(run.id);
    REQUIRE(stored);
    CHECK(*stored == Approx(run.value).epsilon(0.01));
    answered.insert(run.id);
  }
  for (const Case& c : drawn) {
    INFO(c.id);
    CHECK(stored_unseen_run(c.id).has_value() == answered.contains(c.id));
  }
}

}  // namespace

TEST_CASE("what stands beside an answer as the nearest run is what is said of it unseen") { check_stored(7, 40); }

TEST_CASE("so it is of every run", "[slow]") { check_stored(0, 1); }

TEST_CASE("a run that is no row has nothing stored, nor has a word that an id begins with") {
  CHECK_FALSE(stored_unseen_run("no-such-run"));
  CHECK_FALSE(stored_unseen_run("multipod-4096"));
  CHECK(stored_unseen_run("multipod-4096-time"));
}
