// These words are nccl-tests' own: its programs and element types (src/*.cu and src/common.cu of nccl-tests 2.19).
#pragma once

#include <string>
#include <string_view>

#include "calibrate/import/benchmark_run.hpp"
#include "calibrate/import/import_file.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Returns the program that a line names, "all_reduce_perf" of "./build/all_reduce_perf_mpi -b 8"; empty where none.
std::string program_in(std::string_view line);

/// Returns the library that moves data between such devices: "rccl" of AMD's, else "nccl".
std::string library_on(const std::string& device);

/// Returns what `program` timed, or, where it is empty, what the hints say. Throws InputError with `place` where
/// neither tells, they differ, or mlsim has no such collective.
CollectiveKind kind_of(const std::string& program, const ImportHints& hints, const std::string& place);

/// Turns "float" into fp32. Throws InputError with `place` for a type that is no precision of mlsim, or not the hints'.
Precision precision_of(const std::string& type, const ImportHints& hints, const std::string& place);

/// Throws InputError with `place` where a row's bus bandwidth over algorithm bandwidth is not what so many ranks of
/// this collective have: then hints, or the list of ranks, are wrong. Both are in GB/s, as printed with two decimals.
void check_bandwidths(double algorithm, double bus, CollectiveKind kind, int ranks, const std::string& place);

}  // namespace mlsim::calibrate
