// The manual page of a command, made from what its --help says.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Of `command`, or of the program where that is `app` itself: roff with the macros of man(7).
std::string man_page(const CLI::App& app, const CLI::App& command);

/// "mlsim-predict", "mlsim"
std::string man_name(const CLI::App& app, const CLI::App& command);

}  // namespace mlsim::cli
