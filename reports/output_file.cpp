#include "reports/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/errors.hpp"

namespace mlsim {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int error) {
  throw InputError(path, fmt::format("cannot be written: {}", std::generic_category().message(error)));
}

// An open file that closes itself; the name it was asked for is the one in messages.
class OpenFile {
 public:
  OpenFile(const std::string& file, int flags, std::string path)
      : path_(std::move(path)), descriptor_(::open(file.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) refuse(path_, errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  void write(std::string_view text) {
    while (!text.empty()) {
      const auto written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse(path_, errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void keep_mode_of(const std::string& file) {
    struct stat old {};
    if (::stat(file.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 07777) != 0) refuse(path_, errno);
  }
  // Some file systems report a full disk only here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) refuse(path_, errno);
  }

 private:
  std::string path_;
  int descriptor_;
};

// Removes the file unless it was renamed away.
struct TemporaryFile {
  std::string name;
  bool renamed = false;
  explicit TemporaryFile(std::string file) : name(std::move(file)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed) ::unlink(name.c_str());
  }
};

// Where the bytes go in the end: the file behind a symbolic link.
fs::path real_target(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : real;
}

}  // namespace

void write_file(const std::string& path, std::string_view text) {
  if (path.empty()) throw InputError("the name of the output file is empty");
  std::error_code error;
  const fs::path target = real_target(path);
  const auto status = fs::status(target, error);
  if (fs::is_directory(status) || path.back() == '/') refuse(path, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    OpenFile device(target.string(), 0, path);
    device.write(text);
    device.close();
    return;
  }
  if (fs::exists(status) && ::access(target.c_str(), W_OK) != 0) refuse(path, errno);

  const std::string beside = (target.parent_path() / fmt::format(".{}.tmp", ::getpid())).string();
  OpenFile file(beside, O_CREAT | O_EXCL, path);
  TemporaryFile temporary(beside);
  file.keep_mode_of(target.string());
  file.write(text);
  file.close();
  if (std::rename(beside.c_str(), target.c_str()) != 0) refuse(path, errno);
  temporary.renamed = true;
}

}  // namespace mlsim
