// A file that one process at a time may add to.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/files/transient_file.hpp"
#include "core/units.hpp"

namespace mlsim {

/// How long to wait for another process, and what to do once where it takes more than a second.
struct LockPatience {
  Seconds longest;
  std::function<void(const std::string& holder)> waiting = [](const std::string&) {};
};

/// Held from construction to destruction. A file beside the one that is locked, "profile.json.lock", says who holds it:
/// "process 123 on HOST (mlsim calibrate)". The kernel holds the lock, so one whose process has died holds up nobody.
class WriterLock {
 public:
  /// `command` is what this process does to the file. Throws InputError with `path` where another process still holds it
  /// after the patience, whom it names, or where nothing can be written beside it.
  WriterLock(const std::string& path, const std::string& command, const LockPatience& patience = {});
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  bool take(const std::string& path);  // named in what it throws

  std::string name_;     // of the file beside
  int descriptor_ = -1;  // none where the file system has no locks
  std::optional<TransientFile> file_;
};

}  // namespace mlsim
