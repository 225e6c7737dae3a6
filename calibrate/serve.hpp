// serve() is the loop of a measuring program: an order a line in, a reply a line out.
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include "calibrate/bench.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Reads orders until `in` ends and answers each with one flushed line on `out`; whatever cannot be measured, a line
/// that is no order included, is answered as unavailable. Ignores Ctrl-C, on which the parent decides: it goes to all
/// of a terminal's processes. Returns 0, the exit code.
int serve(Bench& bench, std::istream& in, std::ostream& out);

/// The line is what `PROGRAM --versions` prints: one JSON object on one line, names to versions.
std::string versions_line(const std::map<std::string, std::string>& versions);
/// Throws InputError with `place`.
std::map<std::string, std::string> versions_from_line(const std::string& line, const std::string& place);

}  // namespace mlsim::calibrate
