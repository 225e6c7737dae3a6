#include "cli/output/terminal.hpp"

#include <cstdio>

#include "cli/output/progress_line.hpp"
#include "core/text/spelling.hpp"

namespace mlsim::cli {

void notice(const std::string& text) {
  const WipedLine wiped;
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void say(const std::string& sentence) { notice("mlsim: " + shown_text(sentence) + "\n"); }

}  // namespace mlsim::cli
