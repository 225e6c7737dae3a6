#include "core/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/held_signals.hpp"
#include "core/transient_file.hpp"

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

// Where the bytes go in the end: the file behind a symbolic link.
fs::path real_target(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : real;
}

// A name beside the target that nothing else has: process numbers come again, in containers and on other hosts of a
// shared folder.
std::string name_beside(const fs::path& target) {
  static std::random_device random;
  return (target.parent_path() / fmt::format(".{:08x}{:08x}.tmp", random(), random())).string();
}

// A result that is on disk but not yet under its name. A device or pipe has nothing to stage.
class StagedFile {
 public:
  explicit StagedFile(const OutputFile& output) : output_(output), target_(real_target(output.path)) {
    const std::string& path = output.path;
    if (path.empty()) throw InputError("the name of the output file is empty");
    std::error_code error;
    const auto status = fs::status(target_, error);
    if (fs::is_directory(status) || path.back() == '/') refuse(path, EISDIR);
    device_ = fs::exists(status) && !fs::is_regular_file(status);
    if (device_) return;
    if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) refuse(path, errno);
    temporary_.emplace(name_beside(target_));
    OpenFile file(temporary_->name(), O_CREAT | O_EXCL, path);
    file.keep_mode_of(target_.string());
    file.write(output.text);
    file.close();
  }

  bool is_device() const { return device_; }

  void publish() {
    if (device_) {
      OpenFile device(target_.string(), 0, output_.path);
      device.write(output_.text);
      device.close();
      return;
    }
    if (std::rename(temporary_->name().c_str(), target_.c_str()) != 0) refuse(output_.path, errno);
    temporary_->let_go();
  }

 private:
  const OutputFile& output_;
  fs::path target_;
  bool device_ = false;
  std::optional<TransientFile> temporary_;
};

}  // namespace

void write_files(const std::vector<OutputFile>& outputs) {
  std::deque<StagedFile> staged;
  for (const auto& output : outputs) staged.emplace_back(output);
  for (auto& file : staged)
    if (file.is_device()) file.publish();  // may take for ever
  const HeldSignals all_or_none;
  for (auto& file : staged)
    if (!file.is_device()) file.publish();
}

void write_file(const std::string& path, std::string_view text) { write_files({{path, std::string(text)}}); }

}  // namespace mlsim
