// TraceBytes reads a trace file, plain or gzip, and mends it to JSON where profilers write what is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace mlsim::replay {

/// Unescaped backslashes in strings are doubled; NaN and Infinity outside of strings become null. A file of any size
/// takes 1 MiB, since it is read in blocks.
class TraceBytes {
 public:
  /// Throws InputError with `path` where the file cannot be read.
  explicit TraceBytes(const std::string& path);
  ~TraceBytes();
  TraceBytes(const TraceBytes&) = delete;
  TraceBytes& operator=(const TraceBytes&) = delete;

  bool at_end() const { return at_ == end_; }
  char current() const { return mended_[at_]; }
  /// Throws InputError where a compressed file is cut or damaged.
  void next() {
    ++read_;
    if (++at_ == end_) refill();
  }
  std::uint64_t read() const { return read_; }  // bytes so far, of the mended text

 private:
  void refill();
  void mend(const char* raw, std::size_t size);
  void mend_outside(char c);
  void mend_inside(char c);
  void flush_word();

  std::string path_;
  void* file_ = nullptr;  // zlib's
  std::vector<char> raw_;
  std::string mended_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t read_ = 0;
  bool in_string_ = false, escaped_ = false;
  std::string word_;  // letters and signs outside of strings, so far
};

/// nlohmann's reader takes this iterator.
class TraceByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  TraceByteIterator() = default;
  explicit TraceByteIterator(TraceBytes& bytes) : bytes_(&bytes) {}
  char operator*() const { return bytes_->current(); }
  TraceByteIterator& operator++() {
    bytes_->next();
    return *this;
  }
  TraceByteIterator operator++(int) {
    bytes_->next();
    return *this;
  }
  bool operator==(const TraceByteIterator& other) const { return is_end() == other.is_end(); }
  bool operator!=(const TraceByteIterator& other) const { return !(*this == other); }

 private:
  bool is_end() const { return bytes_ == nullptr || bytes_->at_end(); }
  TraceBytes* bytes_ = nullptr;
};

}  // namespace mlsim::replay
