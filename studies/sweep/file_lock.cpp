#include "studies/sweep/file_lock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/text/errors.hpp"

namespace mlsim::studies {
namespace {

// A byte that SQLite, which holds bytes of its own about the first GiB, never comes near.
constexpr off_t kByte = off_t{1} << 60;

// Of the open file and not of the process: SQLite, which opens the same file, lets go of all that its process holds.
bool lock(int file) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = kByte;
  byte.l_len = 1;
  return ::fcntl(file, F_OFD_SETLK, &byte) == 0;
}

int held = -1;

// A forked process would hold the lock on after its parent.
void let_go_in_children() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    if (held >= 0) ::close(held);
    held = -1;
  });
  if (registered != 0) throw MachineFailed("there is not enough memory");
}

// Whether the path still names this file: it may have been replaced before it was locked.
bool is_current(int file, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::string& path) {
  let_go_in_children();
  for (;;) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw InputError(path, std::strerror(errno));
    if (!lock(file_)) {
      ::close(file_);
      throw InputError(path, "another sweep is writing to it");
    }
    if (is_current(file_, path)) break;
    ::close(file_);
  }
  held = file_;
}

FileLock::~FileLock() {
  held = -1;
  ::close(file_);
}

}  // namespace mlsim::studies
