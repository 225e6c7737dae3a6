// A `HelperProcess` is a measuring program as a child: it takes orders on standard input, replies on standard output.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// The measuring program died, hangs or talks nonsense.
class HelperFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The program did not answer in time, and was ended.
class HelperTooSlow : public HelperFailed {
 public:
  using HelperFailed::HelperFailed;
};

/// The user asked to stop (Ctrl-C).
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Finds the program of that name beside this one ("mlsim-cpu"). Throws Unavailable with `install` where there is none.
std::string helper_path(const std::string& name, const std::string& install);

/// Returns what `PATH --versions` prints. It is a process of its own also under mpirun, whose variables it does not
/// see. Throws Unavailable where the program lacks what it needs, HelperFailed.
std::map<std::string, std::string> helper_versions(const std::string& path);

/// Replaces this process; this is for ranks that have nothing to do themselves. Throws HelperFailed.
[[noreturn]] void become_helper(const std::string& path);

class HelperProcess {
 public:
  enum class Purpose { measure, versions };  // versions: started with --versions, unaware of mpirun

  /// `stopped` is asked while waiting; true ends the wait with Interrupted.
  explicit HelperProcess(
      const std::string& path, std::function<bool()> stopped = [] { return false; },
      Purpose purpose = Purpose::measure);
  /// Ends the program's input, gives it a moment to leave by itself, then kills it.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  /// Throws HelperFailed where the program ends (with the last line of its standard error) or answers something else;
  /// HelperTooSlow where it does not answer within `longest`; Unavailable where it ends with code 3, as mlsim itself
  /// does; Interrupted.
  MeasureReply ask(const MeasureOrder& order, Seconds longest);
  /// Sends a line and returns the line that answers it. Throws InputError where the program ends with code 2.
  std::string answer(const std::string& line, Seconds longest, const std::string& what);
  /// Returns the next line of its standard output, without its end; `what` is waited for. Throws as ask().
  std::string line(Seconds longest, const std::string& what);

 private:
  struct Child;
  void send(const std::string& text);
  [[noreturn]] void fail_at_end();
  int wait_for_end();  // its status as waitpid() says it; killed where it does not leave

  std::string name_;
  std::function<bool()> stopped_;
  std::unique_ptr<Child> child_;
};

/// Returns how long to wait for the answer to an order of which one run is `expected` to take so long: the order's time
/// limit counts neither making ready, nor the check against a slow reference, nor its fewest samples.
Seconds patience(const MeasureOrder& order, Seconds expected);

}  // namespace mlsim::calibrate
