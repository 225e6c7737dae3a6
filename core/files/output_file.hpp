// write_file() writes a result as a whole or not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

/// Writes a temporary file beside `path` and renames it over `path`, so that a reader never sees half a result and a
/// failure leaves what was there before; temporary files that killed processes left beside it are removed. A symbolic
/// link keeps pointing at its file; a device or pipe is written to directly. Throws InputError with `path` and the
/// reason (a directory, no permission, no space ...).
void write_file(const std::string& path, std::string_view text);

struct OutputFile {
  std::string path, text;
};

/// Writes several results as one: all are on disk before the first gets its name, so that a failure leaves none.
void write_files(const std::vector<OutputFile>& outputs);

}  // namespace mlsim
