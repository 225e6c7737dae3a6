#include "replay/trace/trace_bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/text/errors.hpp"

namespace mlsim::replay {
namespace {

constexpr std::size_t kTraceBlock = std::size_t{1} << 18;
constexpr std::string_view kEscapes = "\"\\/bfnrtu";

gzFile as_gzip(void* file) { return static_cast<gzFile>(file); }

}  // namespace

TraceBytes::TraceBytes(const std::string& path) : path_(path), raw_(kTraceBlock) {
  errno = 0;
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) throw InputError(path, std::string("cannot be read: ") + std::strerror(errno));
  gzbuffer(as_gzip(file_), kTraceBlock);
  refill();
}

TraceBytes::~TraceBytes() {
  if (file_ != nullptr) gzclose(as_gzip(file_));
}

void TraceBytes::refill() {
  mended_.clear();
  at_ = end_ = 0;
  while (mended_.empty()) {
    errno = 0;
    const int got = gzread(as_gzip(file_), raw_.data(), static_cast<unsigned>(raw_.size()));
    int code = 0;
    const std::string why = gzerror(as_gzip(file_), &code);
    if (code == Z_BUF_ERROR) throw InputError(path_, "is compressed and was cut off");
    if (got < 0)
      throw InputError(path_, code == Z_ERRNO ? std::strerror(errno) : "is compressed and damaged (" + why + ")");
    if (got == 0) {
      flush_word();
      break;
    }
    mend(raw_.data(), static_cast<std::size_t>(got));
  }
  end_ = mended_.size();
}

void TraceBytes::mend(const char* raw, std::size_t size) {
  mended_.reserve(size + size / 16);
  const std::string_view text(raw, size);
  for (std::size_t i = 0; i < size; ++i) {
    if (!in_string_) {
      mend_outside(raw[i]);
      continue;
    }
    if (!escaped_) {  // most of a file: what stands in strings goes over as it is
      const std::size_t plain = std::min(text.find_first_of("\"\\", i), size);
      mended_.append(raw + i, plain - i);
      i = plain;
    }
    if (i < size) mend_inside(raw[i]);
  }
}

void TraceBytes::mend_inside(char c) {
  if (escaped_) {
    escaped_ = false;
    if (kEscapes.find(c) == std::string_view::npos) mended_ += '\\';  // the backslash stood for itself
    mended_ += c;
    return;
  }
  if (c == '\\') escaped_ = true;
  if (c == '"') in_string_ = false;
  mended_ += c;
}

void TraceBytes::mend_outside(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-') {
    word_ += c;
    return;
  }
  if (!word_.empty()) flush_word();
  if (c == '"') in_string_ = true;
  mended_ += c;
}

void TraceBytes::flush_word() {
  for (const char* none : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"})
    if (word_ == none) word_ = "null";
  mended_ += word_;
  word_.clear();
}

}  // namespace mlsim::replay
