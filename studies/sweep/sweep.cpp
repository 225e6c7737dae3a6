#include "studies/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/process/activity.hpp"
#include "core/process/workers.hpp"
#include "core/text/errors.hpp"
#include "studies/sweep/row_answerer.hpp"

namespace mlsim::studies {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Points = std::vector<std::size_t>;  // that share one step

constexpr std::chrono::milliseconds kCommitEvery(500);

Seconds since(SteadyClock::time_point start) {
  return Seconds(std::chrono::duration<double>(SteadyClock::now() - start).count());
}

class Sweep {
 public:
  Sweep(const SweepGrid& grid, const KnownFigures& known, Store& store, const SweepOptions& options)
      : grid_(grid), known_(known), store_(store), options_(options) {
    const std::vector<bool> present = store.present(grid.points());
    for (std::size_t step = 0; step * grid.points_of_step() < grid.points(); ++step) {
      if (!options.shard.holds(step)) continue;
      Points missing;
      for (std::size_t i = 0; i < grid.points_of_step(); ++i) {
        const std::size_t point = step * grid.points_of_step() + i;
        if (present[point])
          ++progress_.done;
        else
          missing.push_back(point);
        ++progress_.all;
      }
      if (!missing.empty()) steps_.push_back(std::move(missing));
    }
    progress_.before = progress_.done;
  }

  SweepOutcome run() {
    bool interrupted = false;
    try {
      ask(steps_);
      ask(alone_);
    } catch (const WorkersStopped&) {
      interrupted = true;
    }
    if (progress_.done == progress_.all)
      store_.finish();
    else
      store_.commit();
    return {progress_, interrupted, failure_};
  }

 private:
  std::vector<SweepRow> rows_of(const Points& points) const {
    RowAnswerer answerer(known_);
    std::vector<SweepRow> rows;
    for (const std::size_t point : points) rows.push_back(answerer.row(point, grid_.question(point)));
    return rows;
  }

  void ask(const std::vector<Points>& steps) {
    WorkerOptions workers;
    workers.workers = options_.workers;
    workers.time_limit = options_.time_limit;
    workers.process = "the process that answered it";
    workers.name = [&](std::size_t question) { return fmt::format("point {}", steps[question].front()); };
    workers.say = options_.say;
    workers.stopped = options_.stopped;
    workers.keep_outcomes = false;
    workers.activity = {};
    workers.arrived = [&](std::size_t question, const Outcome& outcome) { arrive(steps[question], outcome); };
    worker_outcomes(
        steps.size(), [&](std::size_t question) { return packed_rows(rows_of(steps[question])); }, workers);
  }

  // Points that failed together are asked again, each by itself.
  void arrive(const Points& points, const Outcome& outcome) {
    std::vector<SweepRow> rows;
    try {
      rows = unpacked_rows(outcome.value());
    } catch (const std::exception& e) {
      if (points.size() > 1) {
        for (const std::size_t point : points) alone_.push_back({point});
        return;
      }
      rows = {{points.front(), RowStatus::failed, e.what(), {}}};
      if (failure_.empty()) failure_ = outcome.failure();
    }
    for (const SweepRow& row : rows) store_.add(row);
    progress_.done += rows.size();
    activity_.reach(progress_.done, progress_.all);
    if (SteadyClock::now() - committed_ > kCommitEvery) {
      store_.commit();
      committed_ = SteadyClock::now();
      activity_.expect(since(start_) * (static_cast<double>(progress_.all - progress_.done) /
                                        static_cast<double>(progress_.done - progress_.before)));
    }
  }

  const SweepGrid& grid_;
  const KnownFigures& known_;
  Store& store_;
  const SweepOptions& options_;
  std::vector<Points> steps_, alone_;
  std::string failure_;
  SweepProgress progress_;
  Activity activity_{"answering points"};
  SteadyClock::time_point start_ = SteadyClock::now(), committed_ = start_;
};

}  // namespace

SweepOutcome sweep(const SweepGrid& grid, const KnownFigures& known, Store& store, const SweepOptions& options) {
  return Sweep(grid, known, store, options).run();
}

}  // namespace mlsim::studies
