// Ranks and their servers exchange messages here that get in nobody's way.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "calibrate/collectives/communicator.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// A factory makes an all-to-all of so many elements to each rank.
using PartsFactory = std::function<std::unique_ptr<calibrate::Exchange>(std::size_t elements)>;

/// Each rank sends and receives one element-wise equal part, message by message. gRPC of parameter servers cuts what it
/// sends into frames, too: one long message each way would hold up the acknowledgements of the other.
class PartsExchange {
 public:
  /// The exchange has `part` elements for each of `ranks`.
  PartsExchange(const PartsFactory& factory, std::size_t part, int ranks);

  /// Parts stand by rank, one behind the other.
  void load(std::span<const std::byte> sent);
  void run();
  std::vector<std::byte> received();

 private:
  std::size_t part_;  // bytes
  int ranks_;
  std::vector<std::unique_ptr<calibrate::Exchange>> messages_;
};

/// A push brings the whole gradient and gets the sum of all ranks' of the rank's own part.
class PushExchange : public calibrate::Exchange {
 public:
  PushExchange(const PartsFactory& factory, std::size_t part, int ranks)
      : parts_(factory, part, ranks), ranks_(ranks), sum_(part) {}
  void load(std::span<const std::byte> sent) override { parts_.load(sent); }
  Seconds run() override;
  std::vector<std::byte> received() override;

 private:
  PartsExchange parts_;
  int ranks_;
  std::vector<float> sum_;
};

/// A pull brings the rank's own part of the weights and gets all parts.
class PullExchange : public calibrate::Exchange {
 public:
  PullExchange(const PartsFactory& factory, std::size_t part, int ranks)
      : parts_(factory, part, ranks), ranks_(ranks) {}
  void load(std::span<const std::byte> sent) override;
  Seconds run() override;
  std::vector<std::byte> received() override { return parts_.received(); }

 private:
  PartsExchange parts_;
  int ranks_;
};

}  // namespace mlsim::replay
