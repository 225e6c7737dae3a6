// Runs mlsim-mpi under a real mpirun and keeps what its ranks said.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/profile/measurement.hpp"
#include "scratch_folder.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

struct MpiRun {
  int code = -1;  // -1: it did not exit by itself
  std::vector<MeasureReply> replies;
  std::string out, err;
};

/// Two ranks of this host: over TCP on the loopback; ranks that wait yield their core. In the environment, which MPIs
/// other than Open MPI pass over.
inline const char* kLoopback =
    "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo "
    "OMPI_MCA_mpi_yield_when_idle=1 " MLSIM_MPIRUN;

/// `launcher` as a shell reads it, "mpirun -n 2 mlsim-mpi". Stops it after `limit_s`.
inline MpiRun run_ranks(const std::string& launcher, const std::vector<MeasureOrder>& orders, int limit_s = 60) {
  const ScratchFolder scratch;
  {
    std::ofstream in(scratch.path("in"));
    for (const auto& order : orders) in << to_line(order) << '\n';
  }
  const std::string command = "timeout " + std::to_string(limit_s) + " " + launcher + " <'" + scratch.path("in") +
                              "' >'" + scratch.path("out") + "' 2>'" + scratch.path("err") + "'";
  const int status = std::system(command.c_str());
  MpiRun run;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  run.out = text_of(scratch.path("out"));
  run.err = text_of(scratch.path("err"));
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("\"subject\"") != std::string::npos) run.replies.push_back(reply_from_line(line, "reply"));
  return run;
}

inline MpiRun run_two_ranks(const std::vector<MeasureOrder>& orders) {
  return run_ranks(std::string(kLoopback) + " -n 2 '" MLSIM_MPI_PROGRAM "'", orders);
}

/// `samples` of it, however long they take.
inline MeasureOrder order_of(const std::string& subject, int samples) {
  MeasureOrder order;
  order.subject = subject;
  order.cache = Cache::hot;
  order.rule.min_samples = samples;
  order.rule.max_samples = samples;
  return order;
}

}  // namespace mlsim::test
