// file_bytes() reads a file that may be compressed.
#pragma once

#include <string>

#include "interop/namespace.hpp"

namespace mlsim::interop {

/// Returns the bytes of a plain file as they are, of a gzip file decompressed. Throws InputError with `path` where it
/// cannot be read, or is cut or damaged as gzip.
std::string file_bytes(const std::string& path);

}  // namespace mlsim::interop
