#include "cli/result_capture.hpp"

#include <cstdio>

namespace mlsim::cli {
namespace {

std::string* captured = nullptr;

}  // namespace

ResultCapture::ResultCapture() { captured = &text_; }

ResultCapture::~ResultCapture() { captured = nullptr; }

void show_result_text(const std::string& text) {
  if (captured != nullptr)
    *captured += text;
  else
    std::fputs(text.c_str(), stdout);
}

}  // namespace mlsim::cli
