// The constants of mlsim that figures of its source documents set.
#include "reports/pages/pages.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::reports;

namespace {

studies::ItemScore input_of(const std::string& says, const std::vector<std::string>& sets) {
  studies::SourceFigure figure;
  figure.says = says;
  figure.anchor = true;
  figure.published = 1;
  figure.sets = sets;
  studies::ItemScore item;
  item.document = "d";
  item.figures.push_back({figure, 1.0, {}});
  return item;
}

}  // namespace

TEST_CASE("a figure asked both ways is one input, and a constant that two figures set is one constant") {
  const auto found = source_constants(
      {input_of("one", {"anchor x"}), input_of("one", {"anchor x"}), input_of("two", {"anchor x", "anchor y"})}, "d",
      {});
  CHECK(found.inputs == 2);
  CHECK(found.constants == 2);
  CHECK(source_constants({input_of("one", {"anchor x"})}, "another", {}).constants == 0);
}

TEST_CASE("a law has a fixed time, two constants a segment, and a place where each two segments meet") {
  Profile profile;
  RankScaling law;
  law.communicator = "gloo";
  law.machine = "gke-cpu";
  law.segments.resize(3);
  profile.rank_scalings.push_back(law);
  CHECK(constants_in("law gloo cpu fp32 gke-cpu", {profile}) == 1 + 2 * 3 + 2);
  CHECK_THROWS_AS(constants_in("law mpi cpu fp32 gke-cpu", {profile}), InputError);
}

TEST_CASE("the constants that inputs of the sources set are anchors and laws that exist") {
  std::set<std::string> anchors;
  for (const auto& each : validation::published_cases())
    if (each.role == Role::anchor) anchors.insert(each.id);
  for (const studies::SourceFigure& figure : studies::source_figures())
    for (const std::string& name : figure.sets) {
      INFO(figure.place << ": " << name);
      CHECK(constants_in(name, calibrate::builtin_profiles()) >= 1);
      if (name.starts_with("anchor ")) CHECK(anchors.contains(name.substr(7)));
    }
}
