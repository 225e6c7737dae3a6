// A team of threads shares out a loop: the OpenMP threads that oneDNN runs on, too, so that none has to wait.
#pragma once

#include <cstdint>
#include <functional>

namespace mlsim::kernels {

/// Returns the cores that this process may use.
int all_threads();

/// Returns `threads` with 0 for all of them; throws InputError where it is negative or more than there are.
int team_size(int threads);

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// Returns what member `rank` of `ranks` does of `count` things, in whole multiples of `grain` but for the last.
Range share(std::int64_t count, int rank, int ranks, std::int64_t grain = 1);

/// Runs `work(rank)` once on each of `threads` threads; returns when all are done.
void run_team(int threads, const std::function<void(int)>& work);

/// Runs `work` on the shares of `count` things.
void share_out(int threads, std::int64_t count, std::int64_t grain, const std::function<void(Range)>& work);

/// Makes the caches of the threads hold something else, by reading as much as the last level holds, shared out among
/// them, and at least twice what a core's own level 2 holds. The last level, too: a step of a network moves more than
/// it holds, so that a kernel finds little of what it reads there. On a virtual machine, whose share of a shared level
/// nobody tells, what the system reports is the most that it can be. Every third line is written as well: what a kernel
/// drives out of the caches has to go back to memory where it was written, and of what the kernels of a network move a
/// third is written (a convolution writes one tensor of two, a batch normalisation one of 2.5 and backward of 5).
void flush_caches(int threads);

}  // namespace mlsim::kernels
