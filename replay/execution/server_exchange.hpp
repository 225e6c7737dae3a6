// What ranks and the servers on them say to each other, by an all-to-all.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "calibrate/collectives/communicator.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// Brings the whole gradient, gets the sum of all ranks' of the rank's own part.
class PushExchange : public calibrate::Exchange {
 public:
  /// `parts` is an all-to-all between so many ranks.
  PushExchange(std::unique_ptr<calibrate::Exchange> parts, int ranks) : parts_(std::move(parts)), ranks_(ranks) {}
  void load(std::span<const std::byte> sent) override { parts_->load(sent); }
  Seconds run() override;
  std::vector<std::byte> received() override;

 private:
  std::unique_ptr<calibrate::Exchange> parts_;
  int ranks_;
  std::vector<float> sum_;
};

/// Brings the rank's own part of the weights, gets all parts.
class PullExchange : public calibrate::Exchange {
 public:
  PullExchange(std::unique_ptr<calibrate::Exchange> parts, int ranks) : parts_(std::move(parts)), ranks_(ranks) {}
  void load(std::span<const std::byte> sent) override;
  Seconds run() override { return parts_->run(); }
  std::vector<std::byte> received() override { return parts_->received(); }

 private:
  std::unique_ptr<calibrate::Exchange> parts_;
  int ranks_;
};

}  // namespace mlsim::replay
