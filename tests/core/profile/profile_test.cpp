#include "core/profile/profile.hpp"

#include <cmath>
#include <random>
#include <string>

#include "catch.hpp"
#include "core/profile/rank_scaling.hpp"
#include "core/text/errors.hpp"
#include "schemas/json_schema.hpp"
#include "tests/core/replaced.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Profile random_profile(std::mt19937_64& random) {
  const auto number = [&] { return std::exp(std::uniform_real_distribution(-30.0, 30.0)(random)); };
  const auto below = [&](int end) { return std::uniform_int_distribution(0, end - 1)(random); };
  const auto source = [&] { return Source{static_cast<Provenance>(below(5)), "table 2 of a paper", "2019"}; };
  const auto implementation = [&] { return below(2) ? std::optional<std::string>("jit:avx2") : std::nullopt; };
  const auto some_seconds = [&] { return below(2) ? std::optional<Seconds>(number()) : std::nullopt; };
  const auto some_number = [&] { return below(2) ? std::optional<double>(number()) : std::nullopt; };
  Profile p;
  p.accelerator = "tpu-v3";
  p.machine = below(2) ? "a host" : "";
  for (int i = below(3); i >= 0; --i) {
    p.efficiency.push_back({static_cast<Precision>(below(5)), number(), number(), Seconds(number()), source()});
    p.stacks.push_back({"stack" + std::to_string(i),
                        below(2) ? "transformer" : "",
                        Seconds(number()),
                        Seconds(number()),
                        Seconds(number()),
                        some_seconds(),
                        some_number(),
                        some_number(),
                        some_number(),
                        Seconds(number()),
                        number(),
                        some_seconds(),
                        some_number(),
                        below(2) == 0,
                        below(2) == 0,
                        below(2) == 0 ? std::optional<bool>(below(2) == 0) : std::nullopt,
                        below(2) == 0,
                        below(2) == 0,
                        below(2) == 0 ? std::optional<std::string>("dle mlperf") : std::nullopt,
                        source()});
    const double low = number();
    const KernelKey key{KernelOp::max_pool_forward, static_cast<Precision>(below(5)),
                        PoolShape{64 + i, 3, 1, 1 + below(9), 7, 2}};
    const SampleStatistics time{Seconds(low * 1.5), Seconds(low), Seconds(low * 2), 3 + below(9), below(3)};
    const FitError error{number(), number(), below(9)};
    const auto segments = [&] {
      return std::vector<AlphaBetaSegment>{{Bytes(0), Seconds(number()), number()},
                                           {Bytes(number()), Seconds(number()), 0}};
    };
    p.environment["cpu" + std::to_string(i)] = "a processor";
    p.kernels.push_back({key, below(3), static_cast<Cache>(below(3)), time, source(), implementation()});
    p.laws.push_back({{KernelOp::matmul, KernelOp::dense_forward},
                      Precision::fp16,
                      below(3),
                      {FlopPerSecond(number()), BytesPerSecond(number()), Seconds(number())},
                      1.5 + below(9),
                      128,
                      64,
                      108,
                      error,
                      error,
                      {{FlopPerSecond(number()), BytesPerSecond(number()), Seconds(0)}},
                      source()});
    p.probes.push_back(
        {parse_probe_name("copy fp32 1024"), below(3), time, Bytes(number()), Flop(0), source(), implementation()});
    CollectiveCurve curve;
    curve.kind = CollectiveKind::broadcast;
    curve.communicator = "mpi";
    curve.nodes = 1 + below(8);
    curve.points.push_back({Bytes(number()), time, {Seconds(number()), Seconds(number())}});
    curve.knots = {{Bytes(8), Seconds(1e-6), 0}, {Bytes(1024), Seconds(2e-6 + number()), number()}};
    curve.tail = number();
    curve.segments = segments();
    curve.residual = curve.held_back = error;
    curve.replicas = {segments(), segments()};
    curve.source = source();
    p.collectives.push_back(curve);
    p.rank_scalings.push_back({CollectiveKind::all_reduce,
                               "gloo",
                               "cuda",
                               Precision::bf16,
                               "",
                               1 + below(4),
                               {2, 4},
                               static_cast<RankScaling::Latency>(below(2)),
                               below(2) == 0 ? std::optional<Bytes>(Bytes(number())) : std::nullopt,
                               Seconds(number()),
                               segments(),
                               error,
                               error,
                               source()});
    p.anchors.push_back({{"id" + std::to_string(i), "dgx2", 16, "resnet50", static_cast<Precision>(below(5)), number(),
                          PerSecond(number()), source()},
                         {{"data", "synthetic"}}});
  }
  return p;
}

const std::string kSmall = R"({
  "schema_version": 2,
  "accelerator": "v100",
  "machine": "",
  "environment": {},
  "efficiency": [{"precision": "fp16", "compute": 0.5, "memory": 0.75, "full_batch": 32, "per_kernel_s": 4e-6, "fitted_on": "dle mlperf",
                  "source": {"provenance": "fitted", "source": "s", "date": "2018"}}],
  "stacks": [],
  "kernels": [{"kernel": "dense_forward fp16 64 2048 1000", "threads": 0, "cache": "cold", "median_s": 2e-5,
               "lower_quartile_s": 1e-5, "upper_quartile_s": 3e-5, "count": 11, "outliers": 0,
               "source": {"provenance": "measured", "source": "s", "date": ""}}],
  "laws": [],
  "probes": [],
  "collectives": [],
  "rank_scalings": [],
  "anchors": []
})";

std::string profile_complaint(const std::string& json) {
  try {
    profile_from_json(json, "p.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a profile says what its JSON says") {
  const Profile p = profile_from_json(kSmall, "p.json");
  CHECK(p.accelerator == "v100");
  REQUIRE(p.efficiency.size() == 1);
  CHECK(
      p.efficiency[0] ==
      EfficiencyCurve{Precision::fp16, 0.5, 0.75, Seconds(4e-6), {Provenance::fitted, "s", "2018"}, 32, "dle mlperf"});
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].key == KernelKey{KernelOp::dense_forward, Precision::fp16, DenseShape{64, 2048, 1000}});
  CHECK(p.kernels[0].time.upper_quartile == Seconds(3e-5));
}

TEST_CASE("a profile survives JSON bit for bit") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Profile p = random_profile(random);
    const std::string json = to_json(p);
    const Profile back = profile_from_json(json, "p.json");
    CHECK(back.efficiency == p.efficiency);
    CHECK(back.stacks == p.stacks);
    CHECK(back.environment == p.environment);
    CHECK(back.kernels == p.kernels);
    CHECK(back.laws == p.laws);
    CHECK(back.probes == p.probes);
    CHECK(back.collectives == p.collectives);
    CHECK(back.rank_scalings == p.rank_scalings);
    REQUIRE(back.anchors.size() == p.anchors.size());
    CHECK(back.anchors[0].throughput == p.anchors[0].throughput);
    CHECK(back.anchors[0].settings == p.anchors[0].settings);
    CHECK(to_json(back) == json);
  }
}

TEST_CASE("a profile follows its schema") {
  std::mt19937_64 random(6);
  for (const auto& json : {kSmall, to_json(random_profile(random))}) {
    const auto errors = schema_errors("calibrate/profile.schema.json", json);
    if (!errors) {
      WARN("skipped: valijson is not installed (libvalijson-dev)");
      return;
    }
    CHECK(*errors == "");
  }
  CHECK_THAT(*schema_errors("calibrate/profile.schema.json", replaced(kSmall, "\"compute\": 0.5", "\"compute\": 0")),
             ContainsSubstring("compute"));
}

TEST_CASE("a fault of a profile is named with its place") {
  CHECK(profile_complaint(replaced(kSmall, "\"memory\"", "\"memori\"")) ==
        "p.json: efficiency[0]: unknown key \"memori\"; did you mean \"memory\"?");
  CHECK(profile_complaint(replaced(kSmall, "0.5", "0")) == "p.json: efficiency[0].compute: 0 is not above 0");
  CHECK(profile_complaint(replaced(kSmall, "\"fp16\"", "\"fp61\"")) ==
        "p.json: efficiency[0].precision: unknown precision \"fp61\"; did you mean \"fp16\"?");
  CHECK_THAT(profile_complaint(replaced(kSmall, "dense_forward", "dens_forward")),
             ContainsSubstring("p.json: kernels[0].kernel: ") && ContainsSubstring("\"dense_forward\""));
  CHECK(profile_complaint(replaced(kSmall, "2e-5", "9e-5")) ==
        "p.json: kernels[0]: the median does not lie between the quartiles");
  CHECK(profile_complaint(replaced(kSmall, ", \"date\": \"2018\"", "")) ==
        "p.json: efficiency[0].source: key \"date\" is missing");
}

TEST_CASE("an object of more keys than any file has is refused at once") {
  std::string wide = "{";
  for (int i = 0; i < 200000; ++i) wide += "\"k" + std::to_string(i) + "\": 1, ";
  CHECK(profile_complaint(wide + "\"last\": 1}") == "p.json: an object has more than 1000 keys");
}

TEST_CASE("a profile of another version says what to do, before any of its keys") {
  const std::string old = replaced(kSmall, "\"schema_version\": 2", "\"schema_version\": 1");
  CHECK(profile_complaint(old) == "p.json: is a profile of version 1; this mlsim reads 2: run mlsim calibrate again");
  CHECK(profile_complaint("{\"schema_version\": 3, \"new_key\": 1}") ==
        "p.json: is a profile of version 3; this mlsim reads 2: run mlsim calibrate again");
  CHECK_THAT(profile_complaint("{\"schema_version\": \"2\"}"), ContainsSubstring("schema_version"));
}

TEST_CASE("a collective curve with a replica of nothing, out of order or a launch that took no time is refused") {
  Profile profile;
  CollectiveCurve curve;
  curve.communicator = "mpi";
  const SampleStatistics time{Seconds(1), Seconds(1), Seconds(1), 3, 0};
  curve.points = {{Bytes(8), time, {Seconds(1)}}};
  curve.knots = {{Bytes(8), Seconds(1), 0}};
  curve.replicas = {{{Bytes(0), Seconds(1), 0}, {Bytes(8), Seconds(1), 0}}};
  const auto complaint_about = [&](auto change) {
    CollectiveCurve other = curve;
    change(other);
    profile.collectives = {other};
    return profile_complaint(to_json(profile));
  };
  CHECK(complaint_about([](auto&) {}) == "accepted");
  CHECK_THAT(complaint_about([](auto& c) { c.replicas = {{}}; }),
             ContainsSubstring("collectives[0].replicas[0]: must have at least one entry"));
  CHECK_THAT(complaint_about([](auto& c) { c.replicas[0][1].from = Bytes(0); }),
             ContainsSubstring("payloads do not rise from entry to entry"));
  CHECK_THAT(complaint_about([](auto& c) { c.points[0].launches[0] = Seconds(-1); }),
             ContainsSubstring("points[0].launches_s: must be above 0"));
}
