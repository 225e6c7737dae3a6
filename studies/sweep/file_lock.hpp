// One writer at a time of a file that may be replaced while another waits for it.
#pragma once

#include <string>

#include "studies/namespace.hpp"

namespace mlsim::studies {

/// Holds a file, made where it is not there, until it ends; a process that is killed lets go too, also where processes
/// that it forked live on. One at a time.
class FileLock {
 public:
  /// Throws InputError whose place is the file where another process holds it, or it cannot be opened.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace mlsim::studies
