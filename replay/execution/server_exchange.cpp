#include "replay/execution/server_exchange.hpp"

#include <cstring>

#include "calibrate/measure.hpp"

namespace mlsim::replay {

Seconds PushExchange::run() {
  const Seconds begin = calibrate::steady_now();
  parts_->run();
  const std::vector<std::byte> all = parts_->received();
  const std::size_t part = all.size() / sizeof(float) / static_cast<std::size_t>(ranks_);
  std::vector<float> terms(all.size() / sizeof(float));
  std::memcpy(terms.data(), all.data(), terms.size() * sizeof(float));
  sum_.assign(part, 0.0f);
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks_); ++rank)
    for (std::size_t i = 0; i < part; ++i) sum_[i] += terms[rank * part + i];
  return calibrate::steady_now() - begin;
}

std::vector<std::byte> PushExchange::received() {
  const auto bytes = std::as_bytes(std::span(sum_));
  return {bytes.begin(), bytes.end()};
}

void PullExchange::load(std::span<const std::byte> sent) {
  std::vector<std::byte> all;
  for (int rank = 0; rank < ranks_; ++rank) all.insert(all.end(), sent.begin(), sent.end());
  parts_->load(all);
}

}  // namespace mlsim::replay
