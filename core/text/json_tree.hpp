// The tree of a JSON text is what reading it gives, as CBOR (RFC 8949), which reads in a fifth of the time: the build
// makes the trees of embedded files.
#pragma once

#include <string>

namespace mlsim {

/// Throws InputError with file and line as parse_json() and refuse_control() do (json_reader.hpp).
std::string json_tree(const std::string& text, const std::string& file);

}  // namespace mlsim
