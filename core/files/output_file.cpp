#include "core/files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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

#include "core/files/held_signals.hpp"
#include "core/files/transient_file.hpp"
#include "core/text/errors.hpp"

namespace mlsim {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int error) {
  throw InputError(path, fmt::format("cannot be written: {}", std::generic_category().message(error)));
}

// An open file closes itself; messages name it as the caller did.
class OpenFile {
 public:
  OpenFile(const std::string& file, int flags, std::string path)
      : path_(std::move(path)), descriptor_(::open(file.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) refuse(path_, errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }
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
  // A name must not survive a power cut that its bytes do not; and some file systems report a full disk only here.
  void sync() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) refuse(path_, errno);
  }
  // The file stays locked until it is closed, as far as the file system has locks.
  void lock() {
    while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
  }

 private:
  std::string path_;
  int descriptor_;
};

// A temporary file has a name that nothing else has (process numbers come again, in containers and on other hosts of a
// shared folder); it is locked as long as its owner lives and removed unless it was renamed away.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& folder, const std::string& path) {
    do {
      name_.emplace(
          (folder / fmt::format("{}{:08x}{:08x}{}", kBegin, random_number(), random_number(), kEnd)).string());
      file_.emplace(name_->name(), O_CREAT | O_EXCL, path);
      file_->lock();
    } while (::access(name_->name().c_str(), F_OK) != 0);  // another process took it for a dead one's before its lock
  }

  OpenFile& file() { return *file_; }
  const std::string& name() const { return name_->name(); }
  bool rename_to(const std::string& target) {
    if (std::rename(name_->name().c_str(), target.c_str()) != 0) return false;
    name_->let_go();
    return true;
  }

  static bool is_name(const std::string& name) {
    constexpr std::size_t kDigits = 16;
    if (name.size() != kBegin.size() + kDigits + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd))
      return false;
    return name.find_first_not_of("0123456789abcdef", kBegin.size()) == name.size() - kEnd.size();
  }

 private:
  static constexpr std::string_view kBegin = ".mlsim-", kEnd = ".tmp";

  static unsigned random_number() {
    static std::random_device random;
    return random();
  }

  std::optional<TransientFile> name_;
  std::optional<OpenFile> file_;
};

// A temporary file that nobody locks was left by a killed process; it is removed.
void remove_stale_files(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    if (!TemporaryFile::is_name(file->path().filename().string())) continue;
    const int descriptor = ::open(file->path().c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(file->path().c_str());
    ::close(descriptor);
  }
}

// A staged file is on disk but not yet under its name. A device or pipe has nothing to stage.
class StagedFile {
 public:
  using Fill = std::function<void(const std::string& name)>;

  explicit StagedFile(const OutputFile& output) : StagedFile(output.path) {
    text_ = output.text;
    if (!device_) temporary_->file().write(text_);
    sync();
  }

  StagedFile(const std::string& path, const Fill& fill) : StagedFile(path) {
    if (device_) refuse(path, EINVAL);
    fill(temporary_->name());
    sync();
  }

  bool is_device() const { return device_; }

  void publish() {
    if (device_) {
      OpenFile device(target_, 0, path_);
      device.write(text_);
      return;
    }
    if (!temporary_->rename_to(target_)) refuse(path_, errno);
  }

 private:
  explicit StagedFile(const std::string& path) : path_(path), target_(real_target(path)) {
    if (path.empty()) throw InputError("the name of the output file is empty");
    std::error_code error;
    const auto status = fs::status(target_, error);
    if (fs::is_directory(status) || path.back() == '/') refuse(path, EISDIR);
    device_ = fs::exists(status) && !fs::is_regular_file(status);
    if (device_) return;
    if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) refuse(path, errno);
    const fs::path folder = fs::path(target_).parent_path();
    remove_stale_files(folder);
    temporary_.emplace(folder, path);
    temporary_->file().keep_mode_of(target_);
  }

  void sync() {
    if (!device_) temporary_->file().sync();
  }

  std::string path_, target_;
  std::string_view text_;  // of the output, which outlives this object
  bool device_ = false;
  std::optional<TemporaryFile> temporary_;
};

}  // namespace

std::string real_target(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : real.string();
}

void replace_file(const std::string& path, const std::function<void(const std::string& name)>& fill) {
  StagedFile file(path, fill);
  const HeldSignals renamed_whole;
  file.publish();
}

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
