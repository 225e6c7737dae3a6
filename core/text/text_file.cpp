#include "core/text/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/text/errors.hpp"

namespace mlsim {

std::string read_text_file(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{64} << 20;  // the largest measured profiles are a few MiB
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputError(path, "cannot be read: it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in && errno == ENOENT) throw InputError(path, "cannot be opened; does the file exist?");
  if (!in) throw InputError(path, fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  std::string text, block(65536, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargest) throw InputError(path, "is larger than 64 MiB, which no such file is");
  }
  if (in.bad()) throw InputError(path, "cannot be read");
  return text;
}

}  // namespace mlsim
