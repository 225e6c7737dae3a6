#include "calibrate/fit/nccl_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/fit/fit.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "costs/collective_time.hpp"
#include "nccl_systems.hpp"
#include "noise.hpp"
#include "published_nccl.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

NcclSweep synthetic(const std::string& name, const NcclSystem& system, const NcclConstants& truth, double sigma) {
  Noise noise(7, sigma);
  NcclSweep sweep{name, system, {}, {}};
  for (double s = 8; s <= 1 << 30; s *= 4)
    sweep.points.push_back(
        {Bytes(s), nccl_quickest(system, CollectiveKind::all_reduce, Bytes(s), {}, truth)->time * noise.factor()});
  return sweep;
}

// Fitted to every other system: two sweeps of one system go together.
NcclConstants without(const NcclSystem& system) {
  std::vector<NcclSweep> others;
  for (const NcclSweep& sweep : nccl_systems({"fit", "large"}))
    if (!(sweep.system == system)) others.push_back(sweep);
  return fit_nccl(others);
}

void append(std::vector<double>& all, const std::vector<double>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

// A sweep's points of these sizes (the last one where it ends before), and the others.
std::pair<NcclSweep, NcclSweep> divided(const NcclSweep& sweep, const std::vector<double>& sizes) {
  NcclSweep few = sweep, others = sweep;
  few.points.clear();
  others.points.clear();
  for (const PayloadTime& p : sweep.points) {
    const bool taken = std::any_of(sizes.begin(), sizes.end(), [&](double size) {
      return p.payload == min(Bytes(size), sweep.points.back().payload);
    });
    (taken ? few : others).points.push_back(p);
  }
  return {few, others};
}

}  // namespace

TEST_CASE("constants of NCCL's structure are found again") {
  NcclConstants truth = prior_nccl_constants();
  truth.ring = 0.75;
  truth.nvls_hopper = 0.72;
  truth.nvls_latency = microseconds(19);
  truth.short_latency = 1.3;
  const auto found =
      fit_nccl({synthetic("box", h100_box(), truth, 0.01), synthetic("boxes", a100_boxes(2), truth, 0.01)});
  CHECK(found.nvls_hopper == Approx(truth.nvls_hopper).epsilon(0.04));  // half way or more from the prior, 0.68
  CHECK(found.nvls_latency.value == Approx(truth.nvls_latency.value).epsilon(0.1));
  CHECK(found.short_latency == Approx(truth.short_latency).epsilon(0.05));
  CHECK(found.pcie == prior_nccl_constants().pcie);  // no sweep depends on it
  CHECK(found.networks[static_cast<std::size_t>(NodeNetwork::tcpxo)].share == 0.90);
}

TEST_CASE("parameters scale or shift their constants, all of a kind of network together") {
  std::vector<double> none(nccl_parameters().size(), 0.0), up(nccl_parameters().size(), 1.0);
  CHECK(scaled(prior_nccl_constants(), none) == prior_nccl_constants());
  const NcclConstants higher = scaled(prior_nccl_constants(), up);
  CHECK(higher.ring == Approx(0.81 * std::exp(0.1)));
  CHECK(higher.short_fill == Approx(0.5));
  CHECK(higher.networks[0].crossing == higher.networks[1].crossing);
  CHECK(higher.networks[2].crossing == higher.networks[5].crossing);
}

TEST_CASE("the constants that come with mlsim are the fit to the published sweeps") {
  const auto sweeps = nccl_systems({"fit", "large"});
  CHECK(sweeps.size() == 11);
  const NcclConstants& kept = fitted_nccl_constants();
  const NcclConstants fitted = fit_nccl(sweeps);
  std::vector<double> errors, of_kept, of_prior;
  for (const NcclSweep& sweep : sweeps) {
    append(errors, nccl_errors(fitted, sweep));
    append(of_kept, nccl_errors(kept, sweep));
    append(of_prior, nccl_errors(prior_nccl_constants(), sweep));
  }
  CHECK(kept.ring == Approx(fitted.ring).epsilon(0.01));
  CHECK(kept.short_fill == Approx(fitted.short_fill).epsilon(0.03));
  CHECK(fit_error(of_kept).median == Approx(fit_error(errors).median).margin(0.003));
  CHECK(errors.size() == 254);
  CHECK(fit_error(errors).median < 0.06);
  CHECK(fit_error(errors).p90 < 0.22);
  CHECK(fit_error(of_prior).median < 0.07);  // the study's constants and its 7 and 23 %
  CHECK(fit_error(of_prior).p90 < 0.235);
}

TEST_CASE("a system with no sweep is predicted from its hardware to nine per cent", "[slow]") {
  std::vector<double> all, clean, large;
  for (const NcclSweep& sweep : nccl_systems({"fit", "large"})) {
    const auto errors = nccl_errors(without(sweep.system), sweep);
    append(all, errors);
    if (sweep.points.front().payload <= Bytes(8)) append(clean, errors);
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (sweep.points[i].payload >= mebibytes(64)) large.push_back(errors[i]);
  }
  CHECK(fit_error(all).median < 0.07);
  CHECK(fit_error(all).p90 < 0.27);
  CHECK(fit_error(clean).median < 0.08);
  CHECK(fit_error(large).median < 0.05);
}

// Errors on the sizes that were not measured, before and after, over systems and over what sizes were measured: a
// single choice of them may do harm (8 B, 1 MiB and 1 GiB: 7.3 to 7.9 % in the median), and two only help the tail.
TEST_CASE("three and five measured sizes sharpen the prediction of an unseen system, two its tail", "[slow]") {
  constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kKi * kMi;
  struct Expected {
    std::vector<std::vector<double>> choices;
    double gain, median, p90;
  };
  const auto sweeps = nccl_systems({"fit"});
  std::vector<NcclConstants> unseen;
  for (const NcclSweep& sweep : sweeps) unseen.push_back(without(sweep.system));
  for (const auto& [choices, gain, median, p90] :
       {Expected{{{64 * kKi, 128 * kMi}, {kMi, 256 * kMi}, {8, kGi}}, -0.002, 0.075, 0.265},
        {{{64 * kKi, 4 * kMi, kGi},
          {8, kMi, kGi},
          {kKi, kMi, kGi},
          {32 * kKi, 2 * kMi, 128 * kMi},
          {256 * kKi, 8 * kMi, 256 * kMi}},
         0.005,
         0.07,
         0.265},
        {{{8, 128 * kKi, kMi, 32 * kMi, kGi}, {kKi, 64 * kKi, 4 * kMi, 64 * kMi, kGi}}, 0.015, 0.065, 0.25}}) {
    std::vector<double> before, after;
    for (const auto& sizes : choices) {
      for (std::size_t i = 0; i < sweeps.size(); ++i) {
        const auto [few, others] = divided(sweeps[i], sizes);
        REQUIRE(few.points.size() == sizes.size());
        append(before, nccl_errors(unseen[i], others));
        append(after, nccl_errors(sharpened(unseen[i], few), others));
      }
    }
    CHECK(fit_error(after).median < fit_error(before).median - gain);
    CHECK(fit_error(after).p90 < fit_error(before).p90);
    CHECK(fit_error(after).median < median);
    CHECK(fit_error(after).p90 < p90);
  }
}

TEST_CASE("measured sizes pull a network that was described wrongly towards what it is") {
  const auto sweeps = nccl_systems({"fit"});
  NcclSweep efa =
      *std::find_if(sweeps.begin(), sweeps.end(), [](const NcclSweep& s) { return s.name.starts_with("p4de"); });
  efa.system.network_kind = NodeNetwork::infiniband;  // it is EFA: crossings of 60 us, not 7
  const auto [few, others] = divided(efa, {8, 1 << 20, 1 << 30});
  CHECK(fit_error(nccl_errors(fitted_nccl_constants(), others)).median > 0.65);
  const NcclConstants constants = sharpened(fitted_nccl_constants(), few);
  CHECK(fit_error(nccl_errors(constants, others)).median < 0.5);
  const CollectiveCurve bent = bent_to_points(nccl_curve(constants, few, ""));
  std::vector<double> errors;
  for (const PayloadTime& point : others.points)
    errors.push_back(relative_error(collective_time(bent, point.payload), point.time));
  CHECK(fit_error(errors).median < 0.05);
  CHECK(fit_error(errors).p90 < 0.2);
}

TEST_CASE("a curve of NCCL's structure is the structure at its knots and says where it is from") {
  const NcclConstants constants = fitted_nccl_constants();
  const CollectiveCurve curve = nccl_curve(constants, {"two boxes", a100_boxes(2), {}, {}}, "published sweeps");
  CHECK(curve.ranks() == 16);
  CHECK(curve.knots.size() == 32);
  for (const double s : {8.0, 1048576.0, 1073741824.0}) {
    const Seconds time = nccl_quickest(a100_boxes(2), CollectiveKind::all_reduce, Bytes(s), {}, constants)->time;
    CHECK(collective_time(curve, Bytes(s)).value == Approx(time.value));
  }
  const Seconds far = nccl_quickest(a100_boxes(2), CollectiveKind::all_reduce, Bytes(1e11), {}, constants)->time;
  CHECK(collective_time(curve, Bytes(1e11)).value == Approx(far.value).epsilon(0.02));
  CHECK(curve.source == Source{Provenance::fitted, "NCCL's structure, constants of published sweeps", ""});
  CHECK(curve.residual.count == 0);
}

TEST_CASE("sweeps that NCCL cannot have made are refused") {
  const NcclSweep fine = synthetic("fine", h100_box(), {}, 0);
  NcclSweep alone = fine, empty = fine, wrong = fine, forced = fine;
  alone.system.ranks_per_node = 1;
  empty.points.clear();
  wrong.points[2].time = Seconds(std::numeric_limits<double>::quiet_NaN());
  forced.filter.algorithms = {NcclAlgorithm::tree};  // on one node there are no trees
  for (const NcclSweep& sweep : {alone, empty, wrong, forced}) {
    CHECK_THROWS_AS(fit_nccl({fine, sweep}), InputError);
    CHECK_THROWS_AS(sharpened({}, sweep), InputError);
  }
  CHECK_THROWS_AS(nccl_curve({}, alone, ""), InputError);
}
