#include "replay/execution/server_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "calibrate/measure.hpp"

namespace mlsim::replay {
namespace {

// A message to each rank has 16 KiB, the frames of HTTP/2 (RFC 9113, SETTINGS_MAX_FRAME_SIZE), in which gRPC sends.
constexpr std::size_t kMessageElements = 4096;

}  // namespace

PartsExchange::PartsExchange(const PartsFactory& factory, std::size_t part, int ranks)
    : part_(part * sizeof(float)), ranks_(ranks) {
  for (std::size_t begin = 0; begin < part; begin += kMessageElements)
    messages_.push_back(factory(std::min(kMessageElements, part - begin)));
}

void PartsExchange::load(std::span<const std::byte> sent) {
  constexpr std::size_t kMessage = kMessageElements * sizeof(float);
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const std::size_t begin = m * kMessage, size = std::min(kMessage, part_ - begin);
    std::vector<std::byte> bytes;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank) {
      const auto piece = sent.subspan(rank * part_ + begin, size);
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
    messages_[m]->load(bytes);
  }
}

void PartsExchange::run() {
  for (const auto& message : messages_) message->run();
}

std::vector<std::byte> PartsExchange::received() {
  constexpr std::size_t kMessage = kMessageElements * sizeof(float);
  std::vector<std::byte> all(part_ * static_cast<std::size_t>(ranks_));
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const std::size_t begin = m * kMessage, size = std::min(kMessage, part_ - begin);
    const std::vector<std::byte> bytes = messages_[m]->received();
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank)
      std::memcpy(&all[rank * part_ + begin], &bytes[rank * size], size);
  }
  return all;
}

Seconds PushExchange::run() {
  const Seconds begin = calibrate::steady_now();
  parts_.run();
  const std::vector<std::byte> all = parts_.received();
  std::vector<float> terms(all.size() / sizeof(float));
  std::memcpy(terms.data(), all.data(), all.size());
  std::fill(sum_.begin(), sum_.end(), 0.0f);
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank)
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += terms[rank * sum_.size() + i];
  return calibrate::steady_now() - begin;
}

std::vector<std::byte> PushExchange::received() {
  const auto bytes = std::as_bytes(std::span(sum_));
  return {bytes.begin(), bytes.end()};
}

void PullExchange::load(std::span<const std::byte> sent) {
  std::vector<std::byte> all;
  for (int rank = 0; rank < ranks_; ++rank) all.insert(all.end(), sent.begin(), sent.end());
  parts_.load(all);
}

Seconds PullExchange::run() {
  const Seconds begin = calibrate::steady_now();
  parts_.run();
  return calibrate::steady_now() - begin;
}

}  // namespace mlsim::replay
