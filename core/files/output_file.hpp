// write_file() writes a result as a whole or not at all.
#pragma once

#include <functional>
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

/// Has `fill` write the empty temporary file of a name beside `path`, which then takes the place of `path` as those of
/// write_file() do. A device or pipe is refused.
void replace_file(const std::string& path, const std::function<void(const std::string& name)>& fill);

/// Returns where the bytes of an output go in the end, from the root: the file behind a symbolic link.
std::string real_target(const std::string& path);

}  // namespace mlsim
