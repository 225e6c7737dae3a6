// A MachineTurn lets one process of a machine at a time do what others would disturb: measuring.
#pragma once

#include <functional>
#include <string>

namespace mlsim {

/// The turn is held from construction to destruction, whoever the users are. It is the name of a socket that no file
/// has, which the kernel takes back from a process that died. Containers with a network of their own have a turn of
/// their own.
class MachineTurn {
 public:
  /// Waits until no other process holds the turn of that name, and calls `waiting` once, with "process 123", where that
  /// takes more than a second. Throws Unavailable where the kernel has no such sockets.
  MachineTurn(const std::string& name, const std::function<void(const std::string& holder)>& waiting);
  ~MachineTurn();
  MachineTurn(const MachineTurn&) = delete;
  MachineTurn& operator=(const MachineTurn&) = delete;

 private:
  int socket_;
};

}  // namespace mlsim
