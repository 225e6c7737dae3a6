// read_text_file() reads a small file from disk as text.
#pragma once

#include <string>

namespace mlsim {

/// Returns the whole file. Throws InputError with `path` where it is missing, a folder, unreadable or over 64 MiB.
std::string read_text_file(const std::string& path);

}  // namespace mlsim
