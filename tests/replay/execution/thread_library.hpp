// Collectives over the memory of a test's threads (tests/calibrate/collectives/thread_world.hpp), of every kind that a
// replay asks for.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calibrate/collectives/thread_world.hpp"

namespace mlsim::test {

class ThreadExchange : public Exchange {
 public:
  ThreadExchange(World& world, const CollectiveCase& collective) : world_(world), collective_(collective) {
    sent_.resize(collective.count * sizeof(float));
  }

  void load(std::span<const std::byte> sent) override { sent_.assign(sent.begin(), sent.end()); }
  std::vector<std::byte> received() override {
    const auto bytes = std::as_bytes(std::span(received_));
    return {bytes.begin(), bytes.end()};
  }

  Seconds run() override {
    const std::string own(reinterpret_cast<const char*>(sent_.data()), sent_.size());
    std::vector<std::vector<float>> all;
    for (const std::string& bytes : world_.gathered(own)) {
      all.emplace_back(bytes.size() / sizeof(float));
      std::memcpy(all.back().data(), bytes.data(), bytes.size());
    }
    const auto rank = static_cast<std::size_t>(collective_.rank), part = collective_.count / all.size();
    received_.clear();
    if (collective_.kind == CollectiveKind::all_gather)
      for (const auto& each : all) received_.insert(received_.end(), each.begin(), each.end());
    if (collective_.kind == CollectiveKind::all_to_all)
      for (const auto& each : all) append(each, rank * part, part);
    if (collective_.kind == CollectiveKind::all_reduce) add_up(all, 0, collective_.count);
    if (collective_.kind == CollectiveKind::reduce_scatter) add_up(all, rank * part, part);
    return Seconds(0);
  }

 private:
  void append(const std::vector<float>& from, std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; ++i) received_.push_back(from[i]);
  }
  void add_up(const std::vector<std::vector<float>>& all, std::size_t begin, std::size_t count) {
    received_.assign(count, 0.0f);
    for (const auto& each : all)
      for (std::size_t i = 0; i < count; ++i) received_[i] += each[begin + i];
  }

  World& world_;
  CollectiveCase collective_;
  std::vector<std::byte> sent_;
  std::vector<float> received_;
};

inline ThreadCommunicator thread_library(World& world) {
  return ThreadCommunicator(
      [&world](const CollectiveCase& collective) { return std::make_unique<ThreadExchange>(world, collective); });
}

}  // namespace mlsim::test
