// A WriterLock lets one process at a time add to a file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/files/transient_file.hpp"
#include "core/units.hpp"

namespace mlsim {

/// LockPatience says how long to wait for another process, and what to do once where that takes more than a second.
struct LockPatience {
  Seconds longest;
  std::function<void(const std::string& holder)> waiting = [](const std::string&) {};
};

/// The lock is held from construction to destruction. A file beside the locked one, "profile.json.lock", says who holds
/// it: "process 123 on HOST (mlsim calibrate)". The kernel holds the lock: one whose process died holds up nobody.
class WriterLock {
 public:
  /// `command` is what this process does to the file. Throws InputError with `path` and the holder's name where another
  /// process still holds the lock after the patience, or with `path` where nothing can be written beside the file.
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
