// No output of a command is one of its inputs, nor another of its outputs.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Looks at what was typed for a command, before anything is computed: --output, --trace and --report against one another
/// and against every other value that names a file, also in `FILE:KEY=VALUE` and `KEY=FILE`; by device and inode where
/// both are there, else by their paths. Throws InputError with option and file. What a command adds to (a profile, a
/// sweep's store) is named once only, as its output.
void refuse_output_conflicts(const CLI::App& command);

}  // namespace mlsim::cli
