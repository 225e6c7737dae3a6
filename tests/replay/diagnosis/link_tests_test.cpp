// Slow hosts and slow links from runs of nccl-tests on pairs of hosts.
#include "replay/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/diagnosis/run_noise.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// By how much a pair of hosts is slower.
using Slowdown = std::function<double(int a, int b)>;

// All pairs of hosts, as nccl-tests would have timed them with 3 % of noise.
std::vector<LinkTest> pairs(int hosts, const Slowdown& slowdown, RunNoise& noise) {
  std::vector<LinkTest> tests;
  for (int a = 0; a < hosts; ++a) {
    for (int b = a + 1; b < hosts; ++b) {
      LinkTest test{fmt::format("{}-{}.log", a, b), {}};
      test.run.benchmark = "nccl-tests all-reduce";
      test.run.nodes = 2;
      test.run.hosts = {fmt::format("n{}", a), fmt::format("n{}", b)};
      for (const double mib : {0.001, 1.0, 64.0, 1024.0})
        test.run.rows.push_back({Precision::fp32, Bytes(mib * 1048576),
                                 Seconds((20e-6 + mib * 1e-4) * (mib >= 1 ? slowdown(a, b) : 1) * noise.factor(0.03)),
                                 1});
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

double found_link_share(CauseKind kind, const std::string& where, const Slowdown& slowdown) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RunNoise noise(seed);
    const Diagnosis result = diagnosis(pairs(noise.whole(4, 9), slowdown, noise));
    if (result.found() && result.causes.front().kind == kind && result.causes.front().where == where) ++found;
  }
  return found / 100.0;
}

std::string log_text(const std::string& host_a, const std::string& host_b, double microseconds) {
  const double bandwidth = 67108864 / microseconds * 1e-3;
  return fmt::format(
      "# Using devices\n#  Rank  0 Pid 1 on {} device 0 [0x07] GPU\n#  Rank  1 Pid 2 on {} device 0 [0x07] GPU\n"
      "# ./all_reduce_perf -b 64M -e 64M\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      " 67108864 16777216 float sum -1 {:.2f} {:.2f} {:.2f} 0 {:.2f} {:.2f} {:.2f} 0\n# Avg bus bandwidth : 1\n",
      host_a, host_b, microseconds, bandwidth, bandwidth, microseconds, bandwidth, bandwidth);
}

std::string written(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.path(name)) << text;
  return folder.path(name);
}

}  // namespace

TEST_CASE("pairs of equal hosts: nothing is found in 99 of 100 random sets") {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RunNoise noise(seed);
    if (diagnosis(pairs(
                      noise.whole(3, 9), [](int, int) { return 1.0; }, noise))
            .found())
      ++alarms;
  }
  CHECK(alarms <= 2);
}

TEST_CASE("a host whose NIC has half the rate is found among all pairs") {
  CHECK(found_link_share(CauseKind::slow_host, "host n1", [](int a, int b) { return a == 1 || b == 1 ? 2.0 : 1.0; }) >=
        0.95);
}

TEST_CASE("a link of half the rate is found among all pairs") {
  CHECK(found_link_share(CauseKind::slow_link, "n0 to n2", [](int a, int b) { return a == 0 && b == 2 ? 2.0 : 1.0; }) >=
        0.95);
}

TEST_CASE("of pairs without a common host a slow one may be either host or the link, and a further test tells") {
  RunNoise noise(1);
  std::vector<LinkTest> tests = pairs(
      10, [](int a, int) { return a == 4 ? 2.0 : 1.0; }, noise);
  std::erase_if(tests, [](const LinkTest& each) {
    return each.run.hosts[0] != fmt::format("n{}", each.run.hosts[1].back() - '0' - 1) ||
           (each.run.hosts[0].back() - '0') % 2 == 1;
  });
  REQUIRE(tests.size() == 5);
  const Diagnosis result = diagnosis(tests);
  REQUIRE(result.causes.size() == 3);
  CHECK(result.causes[0].likelihood > result.nothing);
  CHECK_THAT(result.tell_apart, ContainsSubstring("hosts that it was not tested with"));
}

TEST_CASE("logs are read with their hosts; too few of them, or of unequal tests, are refused") {
  const ScratchFolder folder;
  const auto one = written(folder, "1.log", log_text("n0", "n1", 1000)),
             two = written(folder, "2.log", log_text("n0", "n2", 1000)),
             three = written(folder, "3.log", log_text("n1", "n2", 3000));
  const Diagnosis result = diagnosis(load_link_tests({one, two, three}));
  CHECK(result.subject == "3 runs of nccl-tests all-reduce on 3 hosts");
  CHECK_THROWS_WITH(load_link_tests({one}), ContainsSubstring("has nothing to be compared with; give at least 3 runs"));
  CHECK_THROWS_WITH(load_link_tests({one, two}), ContainsSubstring("has one run alone to be compared with"));
  std::string other = log_text("n0", "n3", 1000);
  other.replace(other.find("all_reduce"), 10, "all_gather");
  const auto four = written(folder, "4.log", other);
  CHECK_THROWS_AS(load_link_tests({one, two, three, four}), InputError);
}
