#include "replay/execution/node_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "calibrate/measure.hpp"
#include "core/text/errors.hpp"

namespace mlsim::replay {
namespace {

// A message to each rank has 16 KiB, the frames of HTTP/2 (RFC 9113, SETTINGS_MAX_FRAME_SIZE), in which gRPC sends.
constexpr std::size_t kMessageElements = 4096;

// A factory makes an all-to-all of so many elements to each rank.
using PartsFactory = std::function<std::unique_ptr<calibrate::Exchange>(std::size_t elements)>;

// Each rank sends and receives one element-wise equal part, message by message. gRPC of parameter servers cuts what it
// sends into frames, too: one long message each way would hold up the acknowledgements of the other.
class PartsExchange {
 public:
  // The exchange has `part` elements for each of `ranks`.
  PartsExchange(const PartsFactory& factory, std::size_t part, int ranks) : part_(part * sizeof(float)), ranks_(ranks) {
    for (std::size_t begin = 0; begin < part; begin += kMessageElements)
      messages_.push_back(factory(std::min(kMessageElements, part - begin)));
  }

  // Parts stand by rank, one behind the other.
  void load(std::span<const std::byte> sent) {
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

  void run() {
    for (const auto& message : messages_) message->run();
  }

  std::vector<std::byte> received() {
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

 private:
  std::size_t part_;  // bytes
  int ranks_;
  std::vector<std::unique_ptr<calibrate::Exchange>> messages_;
};

// A push brings the whole gradient and gets the sum of all ranks' of the rank's own part.
class PushExchange : public calibrate::Exchange {
 public:
  PushExchange(const PartsFactory& factory, std::size_t part, int ranks)
      : parts_(factory, part, ranks), ranks_(ranks), sum_(part) {}
  void load(std::span<const std::byte> sent) override { parts_.load(sent); }

  Seconds run() override {
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

  std::vector<std::byte> received() override {
    const auto bytes = std::as_bytes(std::span(sum_));
    return {bytes.begin(), bytes.end()};
  }

 private:
  PartsExchange parts_;
  int ranks_;
  std::vector<float> sum_;
};

// A pull brings the rank's own part of the weights and gets all parts.
class PullExchange : public calibrate::Exchange {
 public:
  PullExchange(const PartsFactory& factory, std::size_t part, int ranks)
      : parts_(factory, part, ranks), ranks_(ranks) {}

  void load(std::span<const std::byte> sent) override {
    std::vector<std::byte> all;
    for (int rank = 0; rank < ranks_; ++rank) all.insert(all.end(), sent.begin(), sent.end());
    parts_.load(all);
  }

  Seconds run() override {
    const Seconds begin = calibrate::steady_now();
    parts_.run();
    return calibrate::steady_now() - begin;
  }

  std::vector<std::byte> received() override { return parts_.received(); }

 private:
  PartsExchange parts_;
  int ranks_;
};

using namespace workloads;

// Returns the elements of a node's payload, rounded up as above.
std::size_t payload_elements(const StepNode& node, int ranks) {
  const auto elements = static_cast<std::size_t>(std::ceil(node.payload.value / sizeof(float)));
  if (node.kind == NodeKind::transfer || node.collective == CollectiveKind::all_reduce) return elements;
  const auto parts = static_cast<std::size_t>(ranks);
  return (elements + parts - 1) / parts * parts;
}

std::unique_ptr<calibrate::Exchange> collective_of(const StepNode& node, int rank, int ranks,
                                                   calibrate::Communicator& library) {
  const std::size_t elements = payload_elements(node, ranks), part = elements / static_cast<std::size_t>(ranks);
  const auto run = [&](CollectiveKind kind, std::size_t count) {
    return library.exchange({kind, Precision::fp32, count, rank, ranks});
  };
  const PartsFactory parts = [&](std::size_t count) {
    return run(CollectiveKind::all_to_all, count * static_cast<std::size_t>(ranks));
  };
  switch (node.collective) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather: return run(node.collective, elements);
    case CollectiveKind::parameter_push: return std::make_unique<PushExchange>(parts, part, ranks);
    case CollectiveKind::parameter_pull: return std::make_unique<PullExchange>(parts, part, ranks);
    default: throw Unavailable(fmt::format("\"{}\" is not run here", node.name));
  }
}

}  // namespace

std::map<StepVertex, std::unique_ptr<calibrate::Exchange>> node_exchanges(const ReplayPlan& plan, int rank, int ranks,
                                                                          calibrate::Communicator& library) {
  std::map<StepVertex, std::unique_ptr<calibrate::Exchange>> exchanges;
  for (StepVertex vertex = 0; vertex < plan.graph.size(); ++vertex) {
    const StepNode& node = plan.graph[vertex];
    if (!is_exchange(node) || !takes_part(node, plan.stage_of(rank))) continue;
    if (node.kind == NodeKind::collective) {
      exchanges[vertex] = collective_of(node, rank, ranks, library);
      continue;
    }
    const bool sends = node.role == rank;  // a stage is a rank
    exchanges[vertex] = library.transfer(
        {sends ? node.peer : node.role, sends, payload_elements(node, ranks), static_cast<int>(vertex)});
  }
  return exchanges;
}

}  // namespace mlsim::replay
