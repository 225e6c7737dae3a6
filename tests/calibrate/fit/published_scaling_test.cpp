// The built-in laws of MLBench's nodes are fitted to half of the sizes that MLBench published.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "calibrate/builtin_profiles.hpp"
#include "calibrate/fit/fit.hpp"
#include "calibrate/fit/rank_scaling_fit.hpp"
#include "catch.hpp"
#include "core/profile/rank_scaling.hpp"
#include "core/text/csv.hpp"
#include "core/text/units_text.hpp"
#include "costs/collective_time.hpp"
#include "published_sweeps.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct HeldBack {
  std::string library, device;
  Precision precision;
  double median, p90;  // bounds in per cent of the sizes that were held back
};

const std::vector<HeldBack> kSeries{{"gloo", "cpu", Precision::fp16, 7, 18},  {"gloo", "cpu", Precision::fp32, 8, 24},
                                    {"mpi", "cpu", Precision::fp32, 12, 28},  {"gloo", "cuda", Precision::fp16, 5, 12},
                                    {"gloo", "cuda", Precision::fp32, 6, 20}, {"mpi", "cuda", Precision::fp32, 13, 28},
                                    {"nccl", "cuda", Precision::fp32, 11, 26}};

// Sizes of checks in validation/published, which no fit may see.
const std::set<double>& checked_sizes() {
  static const std::set<double> sizes = [] {
    std::set<double> found{1076};  // of validation/published/sources.csv
    const CsvTable table = load_csv(std::string(MLSIM_SOURCE_DIR) + "/validation/published/mlbench_all_reduce.csv");
    const auto column = [&](const std::string& name) {
      return std::find(table.header.begin(), table.header.end(), name) - table.header.begin();
    };
    for (const CsvRow& row : table.rows) {
      const std::string& options = row.fields[column("options")];
      const auto payload = options.find("payload=");
      if (row.fields[column("role")] == "check")
        found.insert(
            parse_quantity<Bytes>(options.substr(payload + 8, options.find(';', payload) - payload - 8)).value);
    }
    return found;
  }();
  return sizes;
}

// The fit sees every second size and the largest, an input of the tables; never one that is checked.
bool is_fitted_to(const std::vector<CollectivePoint>& points, std::size_t i) {
  return !checked_sizes().contains(points[i].payload.value) && (i % 2 == 0 || i + 1 == points.size());
}

CollectiveSweep part_of(CollectiveSweep sweep, bool fitted) {
  std::vector<CollectivePoint> part;
  for (std::size_t i = 0; i < sweep.points.size(); ++i)
    if (is_fitted_to(sweep.points, i) == fitted) part.push_back(sweep.points[i]);
  sweep.points = std::move(part);
  sweep.machine = sweep.device == "cpu" ? "gke-cpu" : "gke-t4";
  sweep.source.source =
      "every second size of MLBench's task 0a on 2 and 4 nodes, mlbench/mlbench-docs@d321755 images/results/task0a, "
      "digitised (calibrate/published/mlbench_task0.csv); sizes that are checked are left out";
  sweep.source.date = "2020";
  return sweep;
}

RankScaling fitted_law(const HeldBack& series) {
  std::vector<CollectiveCurve> curves;
  std::vector<double> errors;
  for (const int nodes : {2, 4})
    curves.push_back(
        fit_collective(part_of(task0_sweep(series.library, series.device, series.precision, nodes), true), {1, 0, 0}));
  RankScaling law = fit_rank_scaling(curves).at(0);
  for (const int nodes : {2, 4})
    for (const auto& point : part_of(task0_sweep(series.library, series.device, series.precision, nodes), false).points)
      errors.push_back(relative_error(scaled_time(law, nodes, point.payload), point.time.median));
  law.held_back = fit_error(std::move(errors));
  return law;
}

const RankScaling* builtin_law(const HeldBack& series) {
  for (const Profile& profile : builtin_profiles())
    for (const RankScaling& law : profile.rank_scalings)
      if (law.communicator == series.library && law.device == series.device && law.precision == series.precision)
        return &law;
  return nullptr;
}

}  // namespace

TEST_CASE("laws of MLBench's nodes foretell the sizes that they were not fitted to") {
  for (const HeldBack& series : kSeries) {
    CAPTURE(series.library, series.device, series.precision);
    const RankScaling law = fitted_law(series);
    CAPTURE(100 * law.held_back.median, 100 * law.held_back.p90, 100 * law.residual.median);
    CHECK(100 * law.held_back.median < series.median);
    CHECK(100 * law.held_back.p90 < series.p90);
    CHECK(law.held_back.count > 60);
  }
}

// NCCL chooses by bytes, whatever their type, so that its law of fp32 serves fp16, of which no size was fitted to.
TEST_CASE("NCCL's law of fp32 foretells fp16") {
  const RankScaling* const law = builtin_law({"nccl", "cuda", Precision::fp32, 0, 0});
  REQUIRE(law != nullptr);
  CHECK(builtin_law({"nccl", "cuda", Precision::fp16, 0, 0}) == nullptr);
  std::vector<double> errors;
  for (const int nodes : {2, 4})
    for (const auto& point : task0_sweep("nccl", "cuda", Precision::fp16, nodes).points)
      errors.push_back(relative_error(scaled_time(*law, nodes, point.payload), point.time.median));
  const FitError error = fit_error(std::move(errors));
  CAPTURE(100 * error.median, 100 * error.p90);
  CHECK(error.count > 150);
  CHECK(100 * error.median < 15);
  CHECK(100 * error.p90 < 40);
}

TEST_CASE("the built-in laws are those of the fit") {
  for (const HeldBack& series : kSeries) {
    CAPTURE(series.library, series.device, series.precision);
    const RankScaling fitted = fitted_law(series);
    const RankScaling* const stored = builtin_law(series);
    REQUIRE(stored != nullptr);
    CHECK(stored->machine == fitted.machine);
    CHECK(stored->source == fitted.source);
    CHECK(stored->held_back.median == Approx(fitted.held_back.median).epsilon(1e-3));
    for (const int nodes : {2, 4, 16})
      for (double size = 4; size < 5e8; size *= 3)
        CHECK(scaled_time(*stored, nodes, Bytes(size)).value ==
              Approx(scaled_time(fitted, nodes, Bytes(size)).value).epsilon(1e-3));
  }
}
