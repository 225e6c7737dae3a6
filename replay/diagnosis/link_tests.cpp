#include "replay/diagnosis/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text/errors.hpp"
#include "replay/diagnosis/hypothesis.hpp"

namespace mlsim::replay {
namespace {

constexpr std::size_t kLeastTests = 3;
// Latency decides smaller payloads, and a slow link need not change it.
constexpr Bytes kLargePayload{1048576};

void check_alike(const LinkTest& test, const LinkTest& first) {
  if (test.run.hosts.empty())
    throw InputError(test.file, "lists no hosts (\"#  Rank  0 ... on HOST device\"): nothing says where it ran");
  if (test.run.benchmark != first.run.benchmark)
    throw InputError(test.file, fmt::format("timed {}, and {} {}: give runs of one test", test.run.benchmark,
                                            first.file, first.run.benchmark));
  const int ranks = test.run.nodes * test.run.ranks_per_node, others = first.run.nodes * first.run.ranks_per_node;
  if (ranks != others)
    throw InputError(test.file, fmt::format("has {} ranks, and {} {}: times of unequal runs tell nothing", ranks,
                                            first.file, others));
}

// Returns the median of the rows of each payload of a run.
std::map<Bytes, double> times_of(const LinkTest& test) {
  std::map<Bytes, std::vector<double>> rows;
  for (const auto& row : test.run.rows)
    if (row.payload > Bytes(0) && row.time > Seconds(0)) rows[row.payload].push_back(row.time.value);
  std::map<Bytes, double> times;
  for (auto& [payload, seconds] : rows) times[payload] = median_value(std::move(seconds));
  return times;
}

std::vector<Bytes> compared_payloads(const std::vector<std::map<Bytes, double>>& times, const std::string& file) {
  std::vector<Bytes> common;
  for (const auto& [payload, time] : times.front())
    if (std::all_of(times.begin(), times.end(), [p = payload](const auto& each) { return each.count(p) > 0; }))
      common.push_back(payload);
  if (common.empty()) throw InputError(file, "and the other runs have no payload in common");
  std::vector<Bytes> large;
  std::copy_if(common.begin(), common.end(), std::back_inserter(large),
               [](Bytes each) { return each >= kLargePayload; });
  return large.empty() ? common : large;
}

// RunFigures hold for each run the mean, over payloads, of the logarithm of its time over the median run's; and by how
// much a mean of so few payloads is left open.
struct RunFigures {
  std::vector<double> values;
  double noise = 0;
};

RunFigures figures(const std::vector<LinkTest>& tests) {
  std::vector<std::map<Bytes, double>> times;
  for (const LinkTest& test : tests) times.push_back(times_of(test));
  std::vector<std::vector<double>> relative(tests.size());  // by run and payload
  for (const Bytes payload : compared_payloads(times, tests.front().file)) {
    std::vector<double> all;
    for (const auto& each : times) all.push_back(each.at(payload));
    for (std::size_t i = 0; i < all.size(); ++i) relative[i].push_back(std::log(all[i] / median_value(all)));
  }
  RunFigures result;
  std::vector<double> noises;
  for (const auto& of_run : relative) {
    const auto count = static_cast<double>(of_run.size());
    double sum = 0, squares = 0;
    for (const double each : of_run) sum += each;
    for (const double each : of_run) squares += (each - sum / count) * (each - sum / count);
    result.values.push_back(sum / count);
    noises.push_back(count > 1 ? std::sqrt(squares / (count - 1) / count) : 0);
  }
  result.noise = median_value(std::move(noises));
  return result;
}

// Hypotheses are hosts that not every run has, and links between the hosts of a run.
void add_hypotheses(const std::vector<LinkTest>& tests, EvidenceBuilder& builder) {
  std::map<std::string, std::vector<std::size_t>> of_host, of_link;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    std::vector<std::string> hosts = tests[i].run.hosts;
    for (const std::string& host : hosts) of_host[host].push_back(i);
    std::sort(hosts.begin(), hosts.end());
    if (hosts.size() > 1) of_link[fmt::format("{}", fmt::join(hosts, " to "))].push_back(i);
  }
  for (const auto& [host, affected] : of_host)
    if (affected.size() < tests.size()) builder.add(CauseKind::slow_host, "host " + host, affected);
  for (const auto& [link, affected] : of_link)
    if (affected.size() < tests.size()) builder.add(CauseKind::slow_link, link, affected);
}

}  // namespace

std::vector<LinkTest> load_link_tests(const std::vector<std::string>& paths) {
  std::vector<LinkTest> tests;
  for (const std::string& path : paths)
    for (auto& run : calibrate::benchmark_runs(path)) tests.push_back({path, std::move(run)});
  for (const LinkTest& test : tests) check_alike(test, tests.front());
  if (tests.size() < kLeastTests)
    throw InputError(paths.front(), fmt::format("has {} to be compared with; give at least {} runs of one test on "
                                                "different hosts",
                                                tests.size() == 1 ? "nothing" : "one run alone", kLeastTests));
  return tests;
}

Diagnosis diagnosis(const std::vector<LinkTest>& tests) {
  const RunFigures runs = figures(tests);
  EvidenceBuilder builder;
  builder.add_group({SeenIn::collective, false, runs.noise}, runs.values);
  add_hypotheses(tests, builder);
  // A collective over all hosts goes at the pace of the slowest of these runs.
  Diagnosis result = diagnosis(builder.take(), [&](const std::vector<Mend>& mends) {
    std::vector<double> mended = runs.values;
    for (const Mend& mend : mends)
      for (const std::size_t i : mend.hypothesis->affected) mended[i] -= std::log(mend.times_as_long);
    return std::exp(*std::max_element(mended.begin(), mended.end()));
  });
  std::set<std::string> hosts;
  for (const LinkTest& test : tests) hosts.insert(test.run.hosts.begin(), test.run.hosts.end());
  result.subject = fmt::format("{} runs of {} on {} hosts", tests.size(), tests.front().run.benchmark, hosts.size());
  return result;
}

}  // namespace mlsim::replay
