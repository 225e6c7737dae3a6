#include "core/process/message.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace mlsim {
namespace {

using Length = std::uint64_t;

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

bool send_message(int socket, std::string_view bytes) {
  const Length length = bytes.size();
  return send_all(socket, {reinterpret_cast<const char*>(&length), sizeof length}) && send_all(socket, bytes);
}

std::optional<std::string> receive_message(int socket) {
  MessageReader reader;
  for (;;) {
    if (auto message = reader.take()) return message;
    if (!reader.read(socket)) return std::nullopt;
  }
}

bool MessageReader::read(int socket) {
  std::array<char, 1 << 16> buffer;
  ssize_t count = -1;
  do count = ::recv(socket, buffer.data(), buffer.size(), 0);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  unread_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> MessageReader::take() {
  Length length = 0;
  if (unread_.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, unread_.data(), sizeof length);
  if (unread_.size() - sizeof length < length) return std::nullopt;
  std::string message = unread_.substr(sizeof length, length);
  unread_.erase(0, sizeof length + length);
  return message;
}

}  // namespace mlsim
