#include "workloads/pipeline/schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/oracles/workloads/pipeline_closed_form.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<PipelineShape>& shapes() {
  static const std::vector<PipelineShape> all = [] {
    std::vector<PipelineShape> made;
    for (const int stages : {1, 2, 3, 4, 8}) {
      for (const int micro_batches : {1, 2, 3, 4, 7, 16, 32}) {
        for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b})
          made.push_back({schedule, stages, 1, micro_batches});
        for (const int chunks : {1, 2, 3, 5})
          made.push_back({PipelineSchedule::interleaved, stages, chunks, micro_batches * stages});
      }
    }
    return made;
  }();
  return all;
}

// When each pass ends if stage s takes forward[s] and backward[s] for each, every stage in its order; nothing where two
// wait for each other.
std::optional<double> run(const PipelineShape& shape, const std::vector<double>& forward,
                          const std::vector<double>& backward) {
  std::map<std::tuple<int, int, bool>, double> done;  // chunk in the model, micro-batch, pass
  std::vector<std::vector<PipelineTask>> orders;
  for (int s = 0; s < shape.stages; ++s) orders.push_back(pipeline_order(shape, s));
  std::vector<std::size_t> next(orders.size());
  std::vector<double> free(orders.size());
  const int last = shape.stages * shape.chunks - 1;
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t s = 0; s < orders.size(); ++s) {
      while (next[s] < orders[s].size()) {
        const PipelineTask task = orders[s][next[s]];
        const int chunk = task.chunk * shape.stages + int(s);
        double ready = 0;
        if (task.backward || chunk > 0) {
          const int from = !task.backward ? chunk - 1 : chunk == last ? chunk : chunk + 1;
          const auto before = done.find({from, task.micro_batch, task.backward && chunk != last});
          if (before == done.end()) break;
          ready = before->second;
        }
        if (task.backward && !done.contains({chunk, task.micro_batch, false})) break;
        free[s] = std::max(free[s], ready) + (task.backward ? backward[s] : forward[s]);
        done[{chunk, task.micro_batch, task.backward}] = free[s];
        ++next[s];
        moved = true;
      }
    }
  }
  for (std::size_t s = 0; s < orders.size(); ++s) {
    if (next[s] < orders[s].size()) return {};
  }
  return *std::max_element(free.begin(), free.end());
}

std::vector<Seconds> seconds(const std::vector<double>& values) {
  std::vector<Seconds> all;
  for (const double value : values) all.emplace_back(value);
  return all;
}

}  // namespace

TEST_CASE("pipeline: every stage runs every pass of every micro-batch and chunk once, and none waits forever") {
  for (const auto& shape : shapes()) {
    CAPTURE(name(shape.schedule), shape.stages, shape.chunks, shape.micro_batches);
    for (int s = 0; s < shape.stages; ++s) {
      std::set<std::tuple<bool, int, int>> tasks;
      for (const auto& task : pipeline_order(shape, s)) {
        REQUIRE(task.micro_batch >= 0);
        REQUIRE(task.micro_batch < shape.micro_batches);
        REQUIRE(task.chunk >= 0);
        REQUIRE(task.chunk < shape.chunks);
        REQUIRE(tasks.insert({task.backward, task.micro_batch, task.chunk}).second);
      }
      REQUIRE(tasks.size() == static_cast<std::size_t>(2 * shape.micro_batches * shape.chunks));
    }
    const std::vector<double> ones(shape.stages, 1.0);
    CHECK(run(shape, ones, ones).has_value());
  }
}

TEST_CASE("pipeline: the idle part of equal stages is the bubble of the closed form") {
  for (const auto& shape : shapes()) {
    CAPTURE(name(shape.schedule), shape.stages, shape.chunks, shape.micro_batches);
    const std::vector<double> forward(shape.stages, 1.0);
    const std::vector<double> backward(shape.stages, 2.0);
    const double busy = 3.0 * shape.micro_batches * shape.chunks;
    const double length = run(shape, forward, backward).value();
    CHECK(1 - busy / length == Approx(bubble_fraction(shape)).margin(1e-12));
  }
  CHECK(bubble_fraction({PipelineSchedule::gpipe, 4, 1, 4}) == Approx(3.0 / 7));
  CHECK(bubble_fraction({PipelineSchedule::interleaved, 4, 2, 4}) == Approx(3.0 / 11));
}

TEST_CASE("pipeline: uneven stages take the closed form's time") {
  const std::vector<double> forward{1, 3, 2, 2}, backward{2, 4, 5, 1};
  for (const int micro_batches : {1, 2, 5, 40}) {
    const double simulated = run({PipelineSchedule::gpipe, 4, 1, micro_batches}, forward, backward).value();
    CHECK(pipeline_time(PipelineSchedule::gpipe, seconds(forward), seconds(backward), micro_batches).value ==
          Approx(simulated));
  }
  // Of 1f1b a bound, which a slow stage undercuts by what it hides of the others; never below its own work.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (const int micro_batches : {1, 4, 8, 64}) {
    for (int round = 0; round < 100; ++round) {
      std::vector<double> f(6), b(6);
      double slowest = 0;
      for (std::size_t s = 0; s < f.size(); ++s) {
        f[s] = uniform(random);
        b[s] = uniform(random) + 1;
        slowest = std::max(slowest, f[s] + b[s]);
      }
      const double simulated = run({PipelineSchedule::one_f_one_b, 6, 1, micro_batches}, f, b).value();
      const double bound = pipeline_time(PipelineSchedule::one_f_one_b, seconds(f), seconds(b), micro_batches).value;
      CHECK(simulated <= bound * (1 + 1e-12));
      CHECK(simulated >= 0.8 * bound);
      CHECK(simulated >= micro_batches * slowest);
    }
  }
}

TEST_CASE("pipeline: micro-batches in flight by schedule") {
  const auto in_flight = [](const PipelineShape& shape, int stage) {
    return micro_batches_in_flight(shape, stage, std::vector<double>(shape.chunks, 1.0));
  };
  for (int s = 0; s < 4; ++s) {
    CHECK(in_flight({PipelineSchedule::gpipe, 4, 1, 16}, s) == std::vector<int>{16});
    CHECK(in_flight({PipelineSchedule::one_f_one_b, 4, 1, 16}, s) == std::vector<int>{4 - s});
    CHECK(in_flight({PipelineSchedule::one_f_one_b, 4, 1, 2}, s) == std::vector<int>{std::min(2, 4 - s)});
  }
  // Chunks of half a stage: 1 + (p - 1) / (p v) times the p halves, twice, of 1f1b (Narayanan et al.,
  // arXiv:2104.04473).
  const auto chunks = in_flight({PipelineSchedule::interleaved, 4, 2, 16}, 0);
  CHECK(chunks[0] + chunks[1] == 4 * 2 + 3);
}

TEST_CASE("as many micro-batches are in flight as the whole order of a stage has at once") {
  const auto counted = [](const PipelineShape& shape, int stage, const std::vector<double>& weights) {
    std::vector<int> now(shape.chunks);
    double most = 0;
    for (const PipelineTask& task : pipeline_order(shape, stage)) {
      if (task.backward && splits_backward(shape.schedule)) continue;
      now[task.chunk] += task.backward || task.weights ? -1 : 1;
      most = std::max(most, std::inner_product(now.begin(), now.end(), weights.begin(), 0.0));
    }
    return most;
  };
  const auto check = [&](const PipelineShape& shape, const std::vector<double>& weights) {
    for (int stage = 0; stage < shape.stages; ++stage) {
      INFO(name(shape.schedule) << ' ' << shape.stages << ' ' << shape.chunks << ' ' << shape.micro_batches << ' '
                                << stage);
      const auto in_flight = micro_batches_in_flight(shape, stage, weights);
      CHECK(std::inner_product(in_flight.begin(), in_flight.end(), weights.begin(), 0.0) ==
            Approx(counted(shape, stage, weights)));
    }
  };
  for (const int stages : {2, 3, 4, 8}) {
    for (const int rounds : {2, 5, 9, 24}) {
      const int micro_batches = rounds * stages;
      using enum PipelineSchedule;
      for (const auto schedule : {gpipe, one_f_one_b, zero_bubble_1p, zero_bubble_2p})
        check({schedule, stages, 1, micro_batches}, {1});
      check({zero_bubble_v, stages, 2, micro_batches}, {1, 3});
      check({interleaved, stages, 2, micro_batches}, {3, 1});
      check({interleaved, stages, 4, micro_batches}, {1, 2, 3, 1.5});
    }
  }
}

TEST_CASE("pipeline: words and counts that no schedule takes") {
  CHECK(parse<PipelineSchedule>("1f1b") == PipelineSchedule::one_f_one_b);
  CHECK_THROWS_WITH(parse<PipelineSchedule>("gpip"), ContainsSubstring("gpipe"));
  CHECK_THROWS_AS(check_shape({PipelineSchedule::gpipe, 4, 1, 0}), InputError);
  CHECK_THROWS_AS(check_shape({PipelineSchedule::one_f_one_b, 4, 2, 8}), InputError);
  CHECK_THROWS_AS(check_shape({PipelineSchedule::interleaved, 4, 2, 9}), Infeasible);
  CHECK_THROWS_WITH(check_shape({PipelineSchedule::interleaved, 4, 2, 9}), ContainsSubstring("nearest is 8"));
  CHECK_THROWS_WITH(check_shape({PipelineSchedule::interleaved, 4, 2, 3}), ContainsSubstring("nearest is 4"));
}
