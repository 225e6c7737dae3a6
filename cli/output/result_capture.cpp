#include "cli/output/result_capture.hpp"

#include <cstdio>

#include "cli/output/progress_line.hpp"

namespace mlsim::cli {
namespace {

std::string* captured = nullptr;

}  // namespace

ResultCapture::ResultCapture() { captured = &text_; }

ResultCapture::~ResultCapture() { captured = nullptr; }

void show_result_text(const std::string& text) {
  if (captured != nullptr) {
    *captured += text;
    return;
  }
  const WipedLine wiped;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // whether it could be written main() asks
}

}  // namespace mlsim::cli
