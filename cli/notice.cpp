#include "cli/notice.hpp"

#include <cstdio>

namespace mlsim::cli {

void notice(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace mlsim::cli
