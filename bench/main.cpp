// mlsim_bench [LIMIT] prints what predictions cost; rows that take longer than LIMIT seconds (60) are stopped.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/row.hpp"
#include "core/process/forked.hpp"
#include "core/text/errors.hpp"

namespace {

using namespace mlsim::bench;

// Measures the costs of the row's work in a process of its own.
void measure(const BenchRow& row, mlsim::Seconds limit) {
  const mlsim::Forked run = mlsim::forked(row.work, {.process = "the measured process", .time_limit = limit});
  try {
    const std::string& answer = run.outcome.value();
    fmt::print("{:>8.3f} {:>8.3f} {:>8.1f}  {}\n", run.user.value, run.wall.value,
               run.peak_memory / mlsim::mebibytes(1), answer);
  } catch (const mlsim::TimedOut&) {
    fmt::print("stopped after {} s\n", limit.value);
  }
}

void print(const BenchRow& row, mlsim::Seconds limit) {
  fmt::print("{:<20} {:<14} {:>6} {:<8} ", row.name, row.system, row.ranks, row.fidelity);
  std::fflush(stdout);
  if (row.skipped.empty())
    measure(row, limit);
  else
    fmt::print("skipped: {}\n", row.skipped);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const mlsim::Seconds limit(argc > 1 ? std::atof(argv[1]) : 60);
    if (!(limit.value > 0)) {
      std::fputs("usage: mlsim_bench [LIMIT in seconds]\n", stderr);
      return 2;
    }
    fmt::print("{:<20} {:<14} {:>6} {:<8} {:>8} {:>8} {:>8}\n", "what", "system", "ranks", "fidelity", "user s",
               "wall s", "MiB");
    for (const auto source : row_sources)
      for (const BenchRow& row : source()) print(row, limit);
  } catch (const std::exception& e) {
    fmt::print(stderr, "mlsim_bench: {}\n", e.what());
    return 1;
  }
}
