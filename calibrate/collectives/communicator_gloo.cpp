#include <fmt/format.h>
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/broadcast.h>
#include <gloo/config.h>
#include <gloo/context.h>
#include <gloo/math.h>
#include <gloo/reduce_scatter.h>
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

using GlooContext = std::shared_ptr<::gloo::Context>;

// Ranks have this long to find the others; it is Gloo's own default.
constexpr std::chrono::seconds kConnectTimeout{30};
// One collective has this long: the largest payload of MLBench's task 0 (400 MB) over 10 Mbit/s, with room.
constexpr std::chrono::minutes kRunTimeout{30};

void sum(float* into, const float* from, std::size_t count) { ::gloo::sum<float>(into, from, count); }
void sum(HalfBits* into, const HalfBits* from, std::size_t count) { add_halves(into, into, from, count); }
void sum_of(float* into, const float* a, const float* b, std::size_t count) { ::gloo::sum<float>(into, a, b, count); }
void sum_of(HalfBits* into, const HalfBits* a, const HalfBits* b, std::size_t count) { add_halves(into, a, b, count); }

template <class Element>
const ::gloo::ReductionFunction<Element>& summation() {
  static const ::gloo::ReductionFunction<Element> function(
      ::gloo::SUM, [](Element* into, const Element* from, std::size_t count) { sum(into, from, count); });
  return function;
}

// Element is float, or HalfBits: Gloo's own 16-bit float is wrong in its assignment (types.h compares a float's bits as
// a number and then leaves it).
template <class Element>
class GlooExchange : public Exchange {
 public:
  GlooExchange(const CollectiveCase& collective, GlooContext context)
      : collective_(collective),
        context_(std::move(context)),
        sent_(sent_elements(collective.kind, collective.count, collective.ranks)),
        received_(received_elements(collective.kind, collective.count, collective.ranks)) {
    if (collective.kind == CollectiveKind::reduce_scatter) {
      const int part = static_cast<int>(collective.count / static_cast<std::size_t>(collective.ranks));
      reduce_scatter_ = std::make_unique<::gloo::ReduceScatterHalvingDoubling<Element>>(
          context_, std::vector<Element*>{sent_.data()}, static_cast<int>(collective.count),
          std::vector<int>(collective.ranks, part), &summation<Element>());
    }
    if (collective.kind == CollectiveKind::send_receive) {
      outgoing_ = context_->createUnboundBuffer(sent_.data(), sent_.size() * sizeof(Element));
      incoming_ = context_->createUnboundBuffer(received_.data(), received_.size() * sizeof(Element));
    }
  }

  void load(std::span<const std::byte> sent) override {
    const auto bytes = std::as_writable_bytes(std::span(received_));
    std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
    std::copy(sent.begin(), sent.end(), std::as_writable_bytes(std::span(sent_)).begin());
    if (collective_.kind == CollectiveKind::broadcast && collective_.rank == 0) received_ = sent_;
  }

  Seconds run() override {
    const auto begin = std::chrono::steady_clock::now();
    exchange();
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  std::vector<std::byte> received() override {
    // Gloo's reduce-scatter leaves the result at the beginning of the buffer it sends from.
    const auto& result = reduce_scatter_ ? sent_ : received_;
    const auto bytes = std::as_bytes(std::span(result).first(received_.size()));
    return {bytes.begin(), bytes.end()};
  }

 private:
  void exchange() {
    switch (collective_.kind) {
      case CollectiveKind::all_reduce: return all_reduce();
      case CollectiveKind::reduce_scatter: return reduce_scatter_->run();
      case CollectiveKind::all_gather: return all_parts<::gloo::AllgatherOptions>(::gloo::allgather);
      case CollectiveKind::all_to_all: return all_parts<::gloo::AlltoallOptions>(::gloo::alltoall);
      case CollectiveKind::send_receive: return round_trip();
      default: return broadcast();
    }
  }

  void all_reduce() {
    ::gloo::AllreduceOptions options(context_);
    options.setInput(sent_.data(), sent_.size());
    options.setOutput(received_.data(), received_.size());
    options.setReduceFunction([](void* into, const void* a, const void* b, std::size_t count) {
      sum_of(static_cast<Element*>(into), static_cast<const Element*>(a), static_cast<const Element*>(b), count);
    });
    ::gloo::allreduce(options);
  }

  template <class Options>
  void all_parts(void (*collective)(Options&)) {
    Options options(context_);
    options.setInput(sent_.data(), sent_.size());
    options.setOutput(received_.data(), received_.size());
    collective(options);
  }

  void broadcast() {
    ::gloo::BroadcastOptions options(context_);
    options.setOutput(received_.data(), received_.size());
    options.setRoot(0);
    ::gloo::broadcast(options);
  }

  void round_trip() {
    const int last = collective_.ranks - 1;
    if (collective_.rank != 0 && collective_.rank != last) return;
    const int other = collective_.rank == 0 ? last : 0;
    constexpr std::uint64_t kSlot = 0;  // no collective's: they have a prefix above 0 (types.h)
    incoming_->recv(other, kSlot);
    if (collective_.rank != 0) incoming_->waitRecv();
    outgoing_->send(other, kSlot);
    outgoing_->waitSend();
    if (collective_.rank == 0) incoming_->waitRecv();
  }

  CollectiveCase collective_;
  GlooContext context_;
  std::vector<Element> sent_, received_;
  std::unique_ptr<::gloo::ReduceScatterHalvingDoubling<Element>> reduce_scatter_;
  std::unique_ptr<::gloo::transport::UnboundBuffer> outgoing_, incoming_;
};

class GlooTransfer : public Exchange {
 public:
  GlooTransfer(const TransferCase& transfer, const GlooContext& context)
      : transfer_(transfer),
        data_(transfer.count * sizeof(float)),
        buffer_(context->createUnboundBuffer(data_.data(), data_.size())) {}

  void load(std::span<const std::byte> sent) override { std::copy(sent.begin(), sent.end(), data_.begin()); }

  Seconds run() override {
    const auto begin = std::chrono::steady_clock::now();
    const auto slot = static_cast<std::uint64_t>(transfer_.tag) + 1;  // 0 is that of point to point
    if (transfer_.sends) {
      buffer_->send(transfer_.peer, slot);
      buffer_->waitSend();
    } else {
      buffer_->recv(transfer_.peer, slot);
      buffer_->waitRecv();
    }
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  std::vector<std::byte> received() override { return data_; }

 private:
  TransferCase transfer_;
  std::vector<std::byte> data_;
  std::unique_ptr<::gloo::transport::UnboundBuffer> buffer_;
};

class GlooCommunicator : public Communicator {
 public:
  explicit GlooCommunicator(GlooContext context) : context_(std::move(context)) {}

  std::unique_ptr<Exchange> exchange(const CollectiveCase& collective) override {
    if (collective.kind == CollectiveKind::reduce_scatter &&
        static_cast<double>(collective.count) * element_size(collective.precision).value >
            std::numeric_limits<int>::max())
      throw Unavailable("Gloo's reduce-scatter counts bytes in 31 bits");
    if (collective.precision == Precision::fp16) return std::make_unique<GlooExchange<HalfBits>>(collective, context_);
    return std::make_unique<GlooExchange<float>>(collective, context_);
  }

  std::unique_ptr<Exchange> transfer(const TransferCase& transfer) override {
    return std::make_unique<GlooTransfer>(transfer, context_);
  }

 private:
  GlooContext context_;
};

std::shared_ptr<::gloo::transport::Device> tcp_device(const HostPlacement& placement) {
  ::gloo::transport::tcp::attr from;
  if (const char* interface = std::getenv("MLSIM_GLOO_INTERFACE"); interface != nullptr && *interface != '\0') {
    from.iface = interface;
  } else if (placement.nodes() == 1) {
    from.hostname = "127.0.0.1";  // where a machine resolves no names, Gloo crashes on one
  } else {
    char host[256] = {};  // HOST_NAME_MAX is 64
    ::gethostname(host, sizeof host - 1);
    from.hostname = host;
  }
  try {
    return ::gloo::transport::tcp::CreateDevice(from);
  } catch (const std::exception& e) {
    throw Unavailable(
        fmt::format("Gloo finds no address for {} \"{}\" ({}); name a network interface that all hosts "
                    "have with MLSIM_GLOO_INTERFACE",
                    from.iface.empty() ? "host" : "interface", from.iface + from.hostname, e.what()));
  }
}

// A mesh is a context that connects its ranks itself: Gloo's own rendezvous asks a store for addresses and cannot tell
// that another rank has given up.
class Mesh : public ::gloo::Context {
 public:
  Mesh(World& world, const HostPlacement& placement) : ::gloo::Context(world.rank(), world.ranks()) {
    std::string own;  // the address for every other rank, one after the other, all of one length
    agreed_step(world, [&] {
      device_ = tcp_device(placement);
      transportContext_ = device_->createContext(rank, size);
      transportContext_->setTimeout(kConnectTimeout);
      for (int other = 0; other < size; ++other) {
        if (other == rank) continue;
        const auto address = transportContext_->createPair(other)->address().bytes();
        own.append(address.begin(), address.end());
      }
    });
    const auto addresses = world.gathered(own);
    agreed_step(world, [&] { connect(addresses); });
    setTimeout(kRunTimeout);
    transportContext_->setTimeout(kRunTimeout);
  }

 private:
  void connect(const std::vector<std::string>& addresses) {
    const std::size_t length = addresses[rank].size() / static_cast<std::size_t>(size - 1);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const auto place = static_cast<std::size_t>(rank < other ? rank : rank - 1) * length;
      const std::string address = addresses[other].substr(place, length);
      transportContext_->getPair(other)->connect({address.begin(), address.end()});
    }
  }
};

}  // namespace

std::unique_ptr<Communicator> gloo_communicator(World& world, const HostPlacement& placement) {
  // Gloo reads its adapters there, and dies where it finds none.
  if (!std::filesystem::exists("/sys/class/net"))
    throw Unavailable("Gloo looks for network adapters under /sys, which is not mounted on this machine");
  return std::make_unique<GlooCommunicator>(std::make_shared<Mesh>(world, placement));
}

std::string gloo_version() {
  return fmt::format("{}.{}.{}", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR, GLOO_VERSION_PATCH);
}

}  // namespace mlsim::calibrate
