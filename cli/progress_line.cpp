#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/notice.hpp"
#include "core/units_text.hpp"

namespace mlsim::cli {
namespace {

constexpr int kBar = 20;
constexpr std::size_t kColumns = 79;

}  // namespace

std::string progress_text(int done, int all, Seconds left, const std::string& what) {
  const int full = all > 0 ? kBar * done / all : kBar;
  const std::string time = done < all && left > Seconds(0) ? fmt::format(", {} left", to_text(left)) : "";
  const std::string text = fmt::format("[{}{}] {} of {}{}  {}", std::string(static_cast<std::size_t>(full), '#'),
                                       std::string(static_cast<std::size_t>(kBar - full), '.'), done, all, time, what);
  return text.substr(0, kColumns);
}

ProgressLine::ProgressLine(bool quiet) : visible_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { show(""); }

void ProgressLine::show(const std::string& text) {
  if (!visible_) return;
  notice(fmt::format("\r\033[K{}", text));  // to the start of the line, and clear it
  std::fflush(stderr);
}

}  // namespace mlsim::cli
