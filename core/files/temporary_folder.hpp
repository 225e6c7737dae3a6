// A temporary folder is new and empty, and goes with its value.
#pragma once

#include <filesystem>
#include <string>

namespace mlsim {

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
