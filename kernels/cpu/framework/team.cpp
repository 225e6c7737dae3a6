#include "kernels/cpu/framework/team.hpp"

#include <omp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/text/errors.hpp"
#include "kernels/cache_size.hpp"

namespace mlsim::kernels {
namespace {

constexpr std::size_t kLine = 64 / sizeof(std::int64_t);  // a cache line, on x86-64 and most Arm servers

}  // namespace

int all_threads() { return omp_get_num_procs(); }

int team_size(int threads) {
  if (threads < 0 || threads > all_threads())
    throw InputError("threads", std::to_string(threads) + " is not between 1 and the " + std::to_string(all_threads()) +
                                    " cores of this machine (0: all of them)");
  return threads == 0 ? all_threads() : threads;
}

Range share(std::int64_t count, int rank, int ranks, std::int64_t grain) {
  const std::int64_t grains = (count + grain - 1) / grain;
  return {std::min(count, grains * rank / ranks * grain), std::min(count, grains * (rank + 1) / ranks * grain)};
}

void run_team(int threads, const std::function<void(int)>& work) {
#pragma omp parallel num_threads(threads)
  work(omp_get_thread_num());
}

void share_out(int threads, std::int64_t count, std::int64_t grain, const std::function<void(Range)>& work) {
  run_team(threads, [&](int rank) {
    const Range range = share(count, rank, threads, grain);
    if (range.size() > 0) work(range);
  });
}

void flush_caches(int threads) {
  static std::vector<std::vector<std::int64_t>> buffers;
  if (buffers.size() < std::size_t(threads)) buffers.resize(threads);
  const std::int64_t bytes = std::max(2 * private_cache_bytes(), shared_cache_bytes() / threads);
  const auto words = std::size_t(bytes) / sizeof(std::int64_t);
  run_team(threads, [&](int rank) {
    auto& buffer = buffers[rank];
    if (buffer.size() < words) buffer.resize(words);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < words; i += kLine) sum += buffer[i];
    for (std::size_t i = 0; i < words; i += 3 * kLine) buffer[i] = sum;
  });
}

}  // namespace mlsim::kernels
