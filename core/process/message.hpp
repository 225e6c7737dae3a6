// These messages pass between two processes over one stream socket: a length, then as many bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlsim {

/// Returns false where the other side has closed its end; no signal is raised then.
bool send_message(int socket, std::string_view bytes);

/// Waits for the next message; returns nothing once the other side has closed its end.
std::optional<std::string> receive_message(int socket);

/// Collects messages of which only pieces have arrived.
class MessageReader {
 public:
  /// Reads what is there, or waits for some; returns false once the other side has closed its end.
  bool read(int socket);
  /// Returns the next message that has arrived as a whole.
  std::optional<std::string> take();

 private:
  std::string unread_;
};

}  // namespace mlsim
