// import_file() reads sweeps of nccl-tests and the OSU micro-benchmarks, in the form the fits take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Hints tell what a file may leave out. Where the file does say, `kind` and `precision` must agree with it; nodes and
/// ranks per node need only agree in their product (containers of one node have host names of their own).
struct ImportHints {
  std::optional<CollectiveKind> kind;  // nccl-tests before 2.17 and piped logs do not name it
  std::optional<Precision> precision;  // OSU: of MPI_CHAR, fp32 where absent
  int nodes = 0, ranks_per_node = 0;   // 0: as the file says; OSU's files never do
  std::string machine;                 // catalogue or own name; empty: the profile's
  bool in_place = false;               // nccl-tests: the second group of columns instead of the first
};

/// The text is "FILE" or "FILE:key=value,...", keys collective, precision, nodes, ranks_per_node, machine and buffers
/// (out-of-place or in-place). Throws InputError.
std::pair<std::string, ImportHints> parse_import(std::string_view text);

/// Reads the sweeps of a file: nccl-tests' text or JSON (-J), or the text of osu_latency, osu_bw, osu_allreduce,
/// osu_reduce_scatter, osu_allgather, osu_bcast or osu_alltoall. The content says which. There is one sweep for each
/// precision; a payload that stands in several rows has as many launches. Rows of no bytes are left out. Throws
/// InputError with file and line for another format, a file that was cut off, wrong results, one rank, or a layout that
/// neither file nor hints tell.
std::vector<CollectiveSweep> import_file(const std::string& path, const ImportHints& hints = {});

/// Merges the sweeps of one system, each a launch of its own. Throws InputError where two benchmarks timed it in ways
/// that cannot be mixed, as osu_latency and osu_bw do.
std::vector<CollectiveSweep> merged_sweeps(const std::vector<CollectiveSweep>& sweeps);

}  // namespace mlsim::calibrate
