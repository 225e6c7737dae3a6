// A `Bench` is what a measuring program brings: it makes ready what an order names. serve() is the program's loop: an
// order a line in, a reply a line out.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "kernels/timed.hpp"

namespace mlsim::calibrate {

class Bench {
 public:
  virtual ~Bench() = default;

  /// Throws Unavailable where this machine or build cannot run the subject, InputError where nothing has that name.
  virtual std::unique_ptr<Timed> prepare(const MeasureOrder& order) = 0;
  /// Returns the clock of the processor or accelerator now: "2.70 GHz", "1.41 GHz; throttled: power cap"; empty where
  /// it cannot be read.
  virtual std::string clock() = 0;
  /// Returns the hosts of the ranks that measure together, by rank; none where one process measures alone.
  virtual std::vector<std::string> hosts() { return {}; }
};

/// Reads orders until `in` ends and answers each with one flushed line on `out`; whatever cannot be measured, a line
/// that is no order included, is answered as unavailable. Ignores Ctrl-C, on which the parent decides: it goes to all
/// of a terminal's processes. Returns 0, the exit code.
int serve(Bench& bench, std::istream& in, std::ostream& out);

/// The line is what `PROGRAM --versions` prints: one JSON object on one line, names to versions.
std::string versions_line(const std::map<std::string, std::string>& versions);
/// Throws InputError with `place`.
std::map<std::string, std::string> versions_from_line(const std::string& line, const std::string& place);

}  // namespace mlsim::calibrate
