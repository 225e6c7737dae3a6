// Complaints about XML files are errors with file and line.
#pragma once

#include <cstddef>
#include <string>

#include "core/text/errors.hpp"

namespace mlsim::topologies {

/// Gives "file:line" of a byte.
std::string xml_place(const std::string& path, const std::string& text, std::ptrdiff_t offset);

/// Reads the file, for a parser that has no messages of its own. Throws InputError where it is no XML whose outermost
/// element is `root`; `meaning` says what such a file would be.
std::string checked_xml(const std::string& path, const std::string& root, const std::string& meaning);

}  // namespace mlsim::topologies
