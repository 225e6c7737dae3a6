#include "core/files/writer_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"

namespace mlsim {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook(20);
constexpr std::chrono::seconds kNoWord(1);

// Two names of one file share one lock.
std::string lock_name(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return (error ? path : real.string()) + ".lock";
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this machine";
}

std::string holder_in(const std::string& name) {
  std::array<char, 512> text{};
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const ssize_t count = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  return count > 0 ? shown_text({text.data(), static_cast<std::size_t>(count)}, 200) : "another process";
}

// The name may belong to another file by now, because the last holder removes its file.
bool still_named(int descriptor, const std::string& name) {
  struct stat mine {
  }, named{};
  return ::fstat(descriptor, &mine) == 0 && ::lstat(name.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

}  // namespace

WriterLock::WriterLock(const std::string& path, const std::string& command, const LockPatience& patience)
    : name_(lock_name(path)) {
  const auto begin = SteadyClock::now();
  const auto end = begin + std::chrono::duration<double>(patience.longest.value);
  for (bool told = false; !take(path); std::this_thread::sleep_for(kLook)) {
    const auto now = SteadyClock::now();
    if (now >= end)
      throw InputError(path,
                       fmt::format("is being written by {}; wait until that has ended, or choose another --output",
                                   holder_in(name_)));
    if (!told && now - begin > kNoWord) {
      patience.waiting(holder_in(name_));
      told = true;
    }
  }
  if (descriptor_ < 0) return;
  file_.emplace(name_);
  const std::string holder = fmt::format("process {} on {} ({})", ::getpid(), host_name(), command);
  // A full disk loses the holder's name only, not the lock.
  if (::ftruncate(descriptor_, 0) == 0) [[maybe_unused]]
    const auto written = ::pwrite(descriptor_, holder.data(), holder.size(), 0);
}

bool WriterLock::take(const std::string& path) {
  descriptor_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0)
    throw InputError(path, fmt::format("cannot be written: {}", std::generic_category().message(errno)));
  const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  const bool possible = locked || errno == EWOULDBLOCK || errno == EINTR;
  if (locked && still_named(descriptor_, name_)) return true;
  ::close(descriptor_);
  descriptor_ = -1;
  return !possible;
}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  file_.reset();  // before another can take it
  ::close(descriptor_);
}

}  // namespace mlsim
