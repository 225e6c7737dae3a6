#include "cli/output/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/output/progress_line.hpp"
#include "core/files/output_file.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "reports/renderers/renderers.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::cli {
namespace {

constexpr std::size_t kUsual = 80, kNarrowest = 40;

// Reads the columns as shells export them; a word that is no count says nothing.
std::size_t exported_columns() {
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  try {
    return static_cast<std::size_t>(parse_count(text));
  } catch (const InputError&) {
    return 0;
  }
}

std::size_t terminal_columns() {
  winsize size{};
  return isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::size_t page_columns() {
  for (const std::size_t columns : {exported_columns(), terminal_columns()})
    if (columns > 0) return std::clamp(columns, kNarrowest, reports::kPageWidth);
  return kUsual;
}

std::string terminal_text(const reports::Page& page, bool color) {
  return reports::page_text(page, {page_columns(), color});
}

void notice(const std::string& text) {
  const WipedLine wiped;
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void say(const std::string& sentence) { notice("mlsim: " + shown_text(sentence) + "\n"); }

void write_profile(const std::string& output, const Profile& profile) {
  write_file(output, to_json(profile));
  say(fmt::format("{} holds {} kernels, {} probes, {} laws and {} collectives of {}", output, profile.kernels.size(),
                  profile.probes.size(), profile.laws.size(), profile.collectives.size(), profile.accelerator));
}

}  // namespace mlsim::cli
