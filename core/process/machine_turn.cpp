#include "core/process/machine_turn.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <system_error>
#include <thread>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurnLook(50);
constexpr std::chrono::seconds kTurnNoWord(1);

int new_socket() {
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) throw Unavailable(fmt::format("no socket for a turn: {}", std::generic_category().message(errno)));
  return made;
}

// An AbstractName is a name of Linux's that begins with a zero byte (unix(7)).
struct AbstractName {
  explicit AbstractName(const std::string& name) {
    address.sun_family = AF_UNIX;
    const std::size_t count = std::min(name.size(), sizeof address.sun_path - 1);
    std::copy_n(name.begin(), count, address.sun_path + 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t size = 0;
};

std::string holder_of(const AbstractName& name) {
  const int asking = new_socket();
  ucred who{};
  socklen_t size = sizeof who;
  const bool known = ::connect(asking, name.get(), name.size) == 0 &&
                     ::getsockopt(asking, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid > 0;
  ::close(asking);
  return known ? fmt::format("process {}", who.pid) : "another process";
}

}  // namespace

MachineTurn::MachineTurn(const std::string& name, const std::function<void(const std::string& holder)>& waiting)
    : socket_(new_socket()) {
  const AbstractName taken(name);
  const auto begin = SteadyClock::now();
  for (bool told = false; ::bind(socket_, taken.get(), taken.size) != 0; std::this_thread::sleep_for(kTurnLook)) {
    if (errno != EADDRINUSE) {
      const int error = errno;
      ::close(socket_);
      throw Unavailable(fmt::format("no turn \"{}\": {}", name, std::generic_category().message(error)));
    }
    if (told || SteadyClock::now() - begin < kTurnNoWord) continue;
    waiting(holder_of(taken));
    told = true;
  }
  // Whoever waits connects, to be told the process.
  [[maybe_unused]] const int listening = ::listen(socket_, 8);
}

MachineTurn::~MachineTurn() { ::close(socket_); }

}  // namespace mlsim
