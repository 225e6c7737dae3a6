#include "calibrate/profile/calibration.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const MlsimVersion kMlsim{"1.2", "abc"};

MeasuringProgram program(const std::map<std::string, std::string>& versions) { return {"/bin/mlsim-fake", versions}; }

}  // namespace

TEST_CASE("each subject has its own measuring program") {
  REQUIRE(measuring_programs().size() == 3);
  const auto of = [](Subject subject) { return measuring_programs()[static_cast<std::size_t>(subject)].name; };
  CHECK(of(Subject::processor) == "mlsim-cpu");
  CHECK(of(Subject::gpu) == "mlsim-cuda");
  CHECK(of(Subject::collectives) == "mlsim-mpi");
}

TEST_CASE("what was measured is named by the user, else by the device's model") {
  const MeasuringProgram cuda = program({{"gpu", "NVIDIA A100-SXM4-80GB"}, {"driver", "CUDA 12"}});
  const MeasuredOn on = measured_on(Subject::gpu, cuda, "", kMlsim);
  CHECK(on.accelerator == "a100-sxm4-80gb");
  CHECK(on.processor == "NVIDIA A100-SXM4-80GB");
  CHECK(on.environment.at("driver") == "CUDA 12");
  CHECK(on.environment.at("mlsim") == "1.2");
  CHECK(on.environment.at("revision") == "abc");
  CHECK_FALSE(on.environment.contains("processors_of_a_rank"));
  CHECK(measured_on(Subject::gpu, cuda, "mine", kMlsim).accelerator == "mine");
  CHECK_THROWS_WITH(measured_on(Subject::gpu, program({}), "", kMlsim), ContainsSubstring("--accelerator"));
  CHECK_THAT(measured_on(Subject::processor, program({}), "", kMlsim).accelerator, ContainsSubstring("cpu"));
  const MeasuredOn ranks = measured_on(Subject::collectives, program({}), "", {"1.2", ""});
  CHECK(ranks.environment.contains("processors_of_a_rank"));
  CHECK_FALSE(ranks.environment.contains("revision"));
}

TEST_CASE("a calibration's date is today in UTC, or that of SOURCE_DATE_EPOCH") {
  constexpr std::time_t kLastSecondOf2023 = 1704067199;
  CHECK(calibration_date(nullptr, kLastSecondOf2023) == "2023-12-31");
  CHECK(calibration_date(nullptr, kLastSecondOf2023 + 1) == "2024-01-01");
  CHECK(calibration_date("0", kLastSecondOf2023) == "1970-01-01");
}

TEST_CASE("an output that is not there holds nothing, and one that is no file is refused") {
  const ScratchFolder folder;
  CHECK_FALSE(earlier_profile(folder.path("none.json")));
  CHECK_THROWS_WITH(earlier_profile("/dev/null"), ContainsSubstring("is no file"));
  CHECK_THROWS_AS(earlier_profile(folder.file("bad.json", "{")), InputError);
  CHECK(journal_path("a.json") == "a.json.journal");
}

TEST_CASE("a journal is another's where the plan, the machine or a version is another") {
  MeasuredOn on;
  on.host = "here";
  on.processor = "a processor";
  const MeasuringProgram cpu = program({{"oneDNN", "2.6"}});
  const MeasurePlan plan;
  MeasurePlan longer;
  longer.measurements.emplace_back().order.subject = "probe copy fp32 1";
  const auto identity = journal_identity(plan, on, cpu, kMlsim);
  CHECK(identity.version == "mlsim 1.2 abc, oneDNN 2.6");
  CHECK(identity.plan != journal_identity(longer, on, cpu, kMlsim).plan);
}
