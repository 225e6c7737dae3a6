// `SignalText` says what the program is at, in text that a signal's handler can put together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// `SignalText` needs no allocation; what does not fit is left out.
class SignalText {
 public:
  void add(std::string_view text);
  void add_count(std::uint64_t count);
  /// Adds "40 s", "3 min", "2 h".
  void add_time(double seconds);
  /// Adds "explaining, 3 of 13: simulating the step, 40 %" with the Activity of the moment; nothing where there is
  /// none.
  void add_activity();
  /// Adds the time since the program began.
  void add_elapsed();
  void cut(std::size_t columns);
  /// Writes the text to stderr, as far as stderr takes it.
  void write() const;

  std::string_view view() const { return {letters_.data(), size_}; }

 private:
  std::array<char, 512> letters_{};
  std::size_t size_ = 0;
};

/// From here on time is counted.
void begin_elapsed();

}  // namespace mlsim::cli
