// `--report FILE.html` writes the page of an answer beside the answer itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/namespace.hpp"
#include "core/files/output_file.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/sections.hpp"

namespace mlsim::cli {

void add_report_option(CLI::App& command, std::string& path);

/// Throws InputError, naming `option`, where the file's ending is neither .html nor .md; nothing where `path` is empty.
void check_report_path(const std::string& option, const std::string& path);

enum class PageFormat { html, markdown };

/// The file's ending decides; check_report_path() has looked at it.
PageFormat page_format(const std::string& path);
std::string written_page(const Page& page, PageFormat format);
OutputFile report_file(const Page& page, const std::string& path);

/// Returns the command as it was typed, to be pasted into a shell, and this program's version.
PageOrigin page_origin(const CLI::App& command);

}  // namespace mlsim::cli
