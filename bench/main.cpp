// mlsim_bench [LIMIT]: a table of what predictions cost; rows that take longer than LIMIT seconds (60) are stopped.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/cost.hpp"
#include "bench/row.hpp"

namespace {

using namespace mlsim::bench;

void print(const BenchRow& row, double limit_s) {
  fmt::print("{:<20} {:<14} {:>6} {:<8} ", row.name, row.system, row.ranks, row.fidelity);
  std::fflush(stdout);
  if (!row.skipped.empty())
    fmt::print("skipped: {}\n", row.skipped);
  else if (const auto cost = cost_of(row.work, limit_s))
    fmt::print("{:>8.3f} {:>8.3f} {:>8.1f}  {}\n", cost->user_s, cost->wall_s, cost->peak_mib, cost->answer);
  else
    fmt::print("stopped after {} s\n", limit_s);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const double limit_s = argc > 1 ? std::atof(argv[1]) : 60;
    if (!(limit_s > 0)) {
      std::fputs("usage: mlsim_bench [LIMIT in seconds]\n", stderr);
      return 2;
    }
    fmt::print("{:<20} {:<14} {:>6} {:<8} {:>8} {:>8} {:>8}\n", "what", "system", "ranks", "fidelity", "user s",
               "wall s", "MiB");
    for (const auto source : row_sources)
      for (const BenchRow& row : source()) print(row, limit_s);
  } catch (const std::exception& e) {
    fmt::print(stderr, "mlsim_bench: {}\n", e.what());
    return 1;
  }
}
