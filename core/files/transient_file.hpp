// A transient file must not outlive the process that made it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace mlsim {

/// Removes the file of this name when the object goes out of scope, or when a signal ends the process
/// (remove_transient_files()), unless it was let go before.
class TransientFile {
 public:
  explicit TransientFile(std::string name);
  ~TransientFile();
  TransientFile(const TransientFile&) = delete;
  TransientFile& operator=(const TransientFile&) = delete;

  const std::string& name() const { return name_; }
  /// Keeps the file, or leaves alone a name that it no longer has.
  void let_go();

 private:
  std::string name_;
  std::size_t place_;
  bool mine_ = true;
};

/// Removes all transient files of the process; a signal's handler may call this function.
void remove_transient_files();

/// A temporary folder is new and empty, and goes with its value.
class TemporaryFolder {
 public:
  /// Throws MachineFailed where none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace mlsim
