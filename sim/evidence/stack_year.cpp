#include "sim/evidence/stack_year.hpp"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

// MLPerf Training publishes two rounds a year from v1.0 on (mlcommons.org/benchmarks/training); v0.5 came out in
// December 2018, v0.6 in July 2019, v0.7 in July 2020.
int year_of_round(double round) {
  if (round < 0.6) return 2018;
  if (round < 0.7) return 2019;
  return round < 1 ? 2020 : 2020 + static_cast<int>(round);
}

// These names carry a version: TensorFlow 1.12 of November 2018, whose runs on Cloud TPU and V100 Google published in
// December; Lambda's runs of tf_cnn_benchmarks and OneFlow's DLPerf, both of 2020.
constexpr std::array<std::pair<std::string_view, int>, 3> kVersions{
    {{"tf-1.12", 2018}, {"tf-cnn-", 2020}, {"dlperf", 2020}}};

// Returns the number of a part of the name that is a year, "2017" of "tf-2017-servers".
std::optional<int> year_in(const std::string& name) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && std::isdigit(static_cast<unsigned char>(name[i]))) {
      ++digits;
      continue;
    }
    const bool whole = digits == 4 && (i == name.size() || name[i] == '-') && i > 4 && name[i - 5] == '-';
    if (whole && name.compare(i - 4, 2, "20") == 0) return std::stoi(name.substr(i - 4, 4));
    digits = 0;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> stack_year(const std::string& stack) {
  if (const auto round = mlperf_round(stack)) return year_of_round(*round);
  for (const auto& [start, year] : kVersions)
    if (stack.starts_with(start)) return year;
  return year_in(stack);
}

bool later_than(std::optional<int> last, const std::string& stack) {
  const std::optional<int> year = stack_year(stack);
  return last && year && *year > *last;
}

}  // namespace mlsim::sim
