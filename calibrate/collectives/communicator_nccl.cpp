#include <cuda_runtime.h>
#include <fmt/format.h>
#include <nccl.h>

#include <cstring>
#include <stdexcept>

#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(fmt::format("CUDA: {}", cudaGetErrorString(code)));
}

void check(ncclResult_t code) {
  if (code != ncclSuccess) throw std::runtime_error(fmt::format("NCCL: {}", ncclGetErrorString(code)));
}

// These bytes are memory of the accelerator.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size)); }
  ~DeviceBytes() { cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class NcclExchange : public Exchange {
 public:
  NcclExchange(const CollectiveCase& collective, ncclComm_t ranks)
      : collective_(collective),
        ranks_(ranks),
        element_(static_cast<std::size_t>(element_size(collective.precision).value)),
        part_(collective.count / static_cast<std::size_t>(collective.ranks)),
        type_(collective.precision == Precision::fp16 ? ncclHalf : ncclFloat),
        sent_(sent_elements(collective.kind, collective.count, collective.ranks) * element_),
        received_(received_elements(collective.kind, collective.count, collective.ranks) * element_) {}

  void load(std::span<const std::byte> sent) override {
    check(cudaMemset(received_.data(), 0xff, received_.size()));
    check(cudaMemcpy(sent_.data(), sent.data(), sent.size(), cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }

  // Time is taken on the accelerator's own clock: in a training step launches run ahead of it.
  Seconds run() override {
    check(cudaEventRecord(begin_, stream_));
    exchange();
    check(cudaEventRecord(end_, stream_));
    check(cudaEventSynchronize(end_));
    ncclResult_t failure = ncclSuccess;
    check(ncclCommGetAsyncError(ranks_, &failure));
    check(failure);
    float milliseconds_between = 0;
    check(cudaEventElapsedTime(&milliseconds_between, begin_, end_));
    return milliseconds(milliseconds_between);
  }

  std::vector<std::byte> received() override {
    std::vector<std::byte> bytes(received_.size());
    check(cudaMemcpy(bytes.data(), received_.data(), bytes.size(), cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  void exchange() {
    const void* in = sent_.data();
    void* out = received_.data();
    switch (collective_.kind) {
      case CollectiveKind::all_reduce:
        return check(ncclAllReduce(in, out, collective_.count, type_, ncclSum, ranks_, stream_));
      case CollectiveKind::reduce_scatter:
        return check(ncclReduceScatter(in, out, part_, type_, ncclSum, ranks_, stream_));
      case CollectiveKind::all_gather: return check(ncclAllGather(in, out, part_, type_, ranks_, stream_));
      case CollectiveKind::all_to_all: return all_to_all();
      case CollectiveKind::send_receive: return round_trip();
      default: return check(ncclBroadcast(in, out, collective_.count, type_, 0, ranks_, stream_));
    }
  }

  void all_to_all() {
    check(ncclGroupStart());
    for (int other = 0; other < collective_.ranks; ++other) {
      const std::size_t place = static_cast<std::size_t>(other) * part_ * element_;
      check(ncclSend(sent_.data() + place, part_, type_, other, ranks_, stream_));
      check(ncclRecv(received_.data() + place, part_, type_, other, ranks_, stream_));
    }
    check(ncclGroupEnd());
  }

  void round_trip() {
    const int last = collective_.ranks - 1;
    if (collective_.rank != 0 && collective_.rank != last) return;
    const auto send = [&](int to) { check(ncclSend(sent_.data(), collective_.count, type_, to, ranks_, stream_)); };
    const auto receive = [&](int from) {
      check(ncclRecv(received_.data(), collective_.count, type_, from, ranks_, stream_));
    };
    if (collective_.rank == 0) {
      send(last);
      receive(last);
    } else {
      receive(0);
      send(0);
    }
  }

  CollectiveCase collective_;
  ncclComm_t ranks_;
  std::size_t element_, part_;
  ncclDataType_t type_;
  DeviceBytes sent_, received_;
  Stream stream_;
  Event begin_, end_;
};

class NcclCommunicator : public Communicator {
 public:
  explicit NcclCommunicator(ncclComm_t ranks) : ranks_(ranks) {}
  ~NcclCommunicator() override { ncclCommDestroy(ranks_); }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  std::unique_ptr<Exchange> exchange(const CollectiveCase& collective) override {
    return std::make_unique<NcclExchange>(collective, ranks_);
  }

 private:
  ncclComm_t ranks_;
};

void take_device(int local_rank) {
  int driver = 0, devices = 0;
  // CUDA would blame its version where there is no driver.
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    throw Unavailable("no NVIDIA driver on this machine; install one to measure collectives of NCCL");
  check(cudaGetDeviceCount(&devices));
  if (local_rank >= devices)
    throw Unavailable(fmt::format("NCCL needs an accelerator for every rank of a host; here are {}", devices));
  check(cudaSetDevice(local_rank));
}

}  // namespace

std::unique_ptr<Communicator> nccl_communicator(World& world, const HostPlacement& placement) {
  ncclUniqueId id{};
  agreed_step(world, [&] {
    take_device(placement.local_rank_of[world.rank()]);
    if (world.rank() == 0) check(ncclGetUniqueId(&id));
  });
  const std::string shared = world.from_root(std::string(id.internal, sizeof id.internal));
  std::memcpy(id.internal, shared.data(), sizeof id.internal);
  ncclComm_t ranks = nullptr;
  agreed_step(world, [&] { check(ncclCommInitRank(&ranks, world.ranks(), id, world.rank())); });
  return std::make_unique<NcclCommunicator>(ranks);
}

std::string nccl_version() {
  int version = 0;
  check(ncclGetVersion(&version));
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace mlsim::calibrate
