#include "calibrate/environment.hpp"

#include "calibrate/launch.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

MeasureReply with_clock(const std::string& clock) {
  MeasureReply reply;
  reply.clock = clock;
  return reply;
}

std::function<const char*(const char*)> variables(std::map<std::string, std::string> values) {
  return [values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

}  // namespace

TEST_CASE("a processor's name is made of its model") {
  CHECK(processor_model("processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\n") ==
        "Intel(R) Xeon(R) CPU @ 2.20GHz");
  CHECK(processor_model("") == "processor");
  CHECK(processor_slug("Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz") == "cpu-intel-xeon-platinum-8168");
  CHECK(processor_slug("AMD EPYC 7763 64-Core Processor") == "cpu-amd-epyc-7763-64-core");
  CHECK(processor_slug("processor") == "cpu");
}

TEST_CASE("a GPU's name is the catalogue's") {
  CHECK(gpu_slug("NVIDIA A100-SXM4-80GB") == "a100-sxm4-80gb");
  CHECK(gpu_slug("NVIDIA H100 80GB HBM3") == "h100-sxm5");
  CHECK(gpu_slug("Tesla V100-SXM2-16GB") == "v100-sxm2-16gb");
  CHECK(gpu_slug("Tesla T4") == "t4");
}

TEST_CASE("this machine says what it is") {
  const Environment environment = host_environment();
  for (const std::string key : {"host", "os", "processor", "threads", "memory"}) {
    INFO(key);
    CHECK(environment.contains(key));
  }
  CHECK(available_threads() >= 1);
}

TEST_CASE("clocks of a run are summed up, with why they were held down") {
  const Environment environment =
      clock_environment({with_clock("2.00 GHz"), with_clock(""), with_clock("1.00 GHz; throttled: power cap"),
                         with_clock("1500 MHz"), with_clock("1.40 GHz; throttled: power cap")});
  CHECK(environment.at("clock") == "1.00 to 2.00 GHz, median 1.45");
  CHECK(environment.at("throttling") == "throttled: power cap (2 times)");
  CHECK(clock_environment({with_clock("")}).empty());
}

TEST_CASE("Gloo is measured with a word where a rank has fewer than two processors") {
  CHECK(sharing_note({"mpi", "gloo"}, 2, 1, 4).find("--bind-to none") != std::string::npos);
  CHECK(sharing_note({"gloo"}, 2, 2, 2).find("this node has 2 for 2 ranks") != std::string::npos);
  CHECK(sharing_note({"gloo"}, 2, 4, 4).empty());
  CHECK(sharing_note({"mpi"}, 2, 1, 2).empty());
  CHECK(available_threads() <= machine_threads());
}

TEST_CASE("Open MPI says which rank this is") {
  CHECK_FALSE(launch_of(variables({})).has_value());
  const auto launch = launch_of(
      variables({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}));
  REQUIRE(launch.has_value());
  CHECK(launch->rank == 3);
  CHECK(launch->nodes() == 4);
  CHECK_THROWS_AS(launch_of(variables({{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}})),
                  InputError);
  CHECK_THROWS_AS(launch_of(variables({{"OMPI_COMM_WORLD_SIZE", "many"}})), InputError);
}
