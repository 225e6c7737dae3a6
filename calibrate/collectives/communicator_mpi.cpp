#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(text);
}

// MPI calls a user's operation in this form.
void sum_halves(void* in, void* in_out, int* count, MPI_Datatype*) {
  auto* sum = static_cast<HalfBits*>(in_out);
  add_halves(sum, sum, static_cast<const HalfBits*>(in), static_cast<std::size_t>(*count));
}

// `Elements` say how MPI is to handle the elements of one precision.
struct Elements {
  MPI_Datatype type;
  MPI_Op sum;
};

class MpiExchange : public Exchange {
 public:
  MpiExchange(const CollectiveCase& collective, Elements elements, MPI_Comm ranks)
      : collective_(collective),
        elements_(elements),
        ranks_(ranks),
        count_(static_cast<int>(collective.count)),
        part_(static_cast<int>(collective.count / static_cast<std::size_t>(collective.ranks))) {
    const auto size = static_cast<std::size_t>(element_size(collective.precision).value);
    sent_.resize(sent_elements(collective.kind, collective.count, collective.ranks) * size);
    received_.resize(received_elements(collective.kind, collective.count, collective.ranks) * size);
  }

  void load(std::span<const std::byte> sent) override {
    std::fill(received_.begin(), received_.end(), std::byte{0xff});
    std::copy(sent.begin(), sent.end(), sent_.begin());
    if (collective_.kind == CollectiveKind::broadcast && collective_.rank == 0) received_ = sent_;
  }

  Seconds run() override {
    const auto begin = std::chrono::steady_clock::now();
    check(exchanged());
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  std::vector<std::byte> received() override { return received_; }

 private:
  int exchanged() {
    void *in = sent_.data(), *out = received_.data();
    const MPI_Datatype type = elements_.type;
    switch (collective_.kind) {
      case CollectiveKind::all_reduce: return MPI_Allreduce(in, out, count_, type, elements_.sum, ranks_);
      case CollectiveKind::reduce_scatter: return MPI_Reduce_scatter_block(in, out, part_, type, elements_.sum, ranks_);
      case CollectiveKind::all_gather: return MPI_Allgather(in, part_, type, out, part_, type, ranks_);
      case CollectiveKind::all_to_all: return MPI_Alltoall(in, part_, type, out, part_, type, ranks_);
      case CollectiveKind::send_receive: return round_trip();
      default: return MPI_Bcast(out, count_, type, 0, ranks_);
    }
  }

  int round_trip() {
    const int last = collective_.ranks - 1;
    if (collective_.rank != 0 && collective_.rank != last) return MPI_SUCCESS;
    const auto send = [&](int to) { return MPI_Send(sent_.data(), count_, elements_.type, to, 0, ranks_); };
    const auto receive = [&](int from) {
      return MPI_Recv(received_.data(), count_, elements_.type, from, 0, ranks_, MPI_STATUS_IGNORE);
    };
    const int first = collective_.rank == 0 ? send(last) : receive(0);
    return first != MPI_SUCCESS ? first : collective_.rank == 0 ? receive(last) : send(0);
  }

  CollectiveCase collective_;
  Elements elements_;
  MPI_Comm ranks_;
  int count_, part_;
  std::vector<std::byte> sent_, received_;
};

// A transfer looks again and again, asleep in between: the compute stream of the same rank has the core meanwhile.
class MpiTransfer : public Exchange {
 public:
  MpiTransfer(const TransferCase& transfer, MPI_Comm ranks)
      : transfer_(transfer), ranks_(ranks), data_(transfer.count * sizeof(float)) {}

  void load(std::span<const std::byte> sent) override { std::copy(sent.begin(), sent.end(), data_.begin()); }

  Seconds run() override {
    const auto begin = std::chrono::steady_clock::now();
    const int count = static_cast<int>(transfer_.count);
    MPI_Request request = MPI_REQUEST_NULL;
    check(transfer_.sends ? MPI_Isend(data_.data(), count, MPI_FLOAT, transfer_.peer, transfer_.tag, ranks_, &request)
                          : MPI_Irecv(data_.data(), count, MPI_FLOAT, transfer_.peer, transfer_.tag, ranks_, &request));
    for (int done = 0; true;) {
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done) break;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

  std::vector<std::byte> received() override { return data_; }

 private:
  TransferCase transfer_;
  MPI_Comm ranks_;
  std::vector<std::byte> data_;
};

// Throws Unavailable where MPI cannot count so many.
void check_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Unavailable(fmt::format("MPI counts elements in 31 bits, and these are {}", count));
}

class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator() {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &ranks_));
    check(MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN));
    check(MPI_Op_create(sum_halves, /*commute=*/1, &half_sum_));
  }
  ~MpiCommunicator() override {
    MPI_Op_free(&half_sum_);
    MPI_Comm_free(&ranks_);
  }

  std::unique_ptr<Exchange> exchange(const CollectiveCase& collective) override {
    check_count(collective.count);
    const Elements elements =
        collective.precision == Precision::fp16 ? Elements{MPI_UINT16_T, half_sum_} : Elements{MPI_FLOAT, MPI_SUM};
    return std::make_unique<MpiExchange>(collective, elements, ranks_);
  }

  std::unique_ptr<Exchange> transfer(const TransferCase& transfer) override {
    check_count(transfer.count);
    return std::make_unique<MpiTransfer>(transfer, ranks_);
  }

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
  MPI_Op half_sum_ = MPI_OP_NULL;
};

}  // namespace

std::unique_ptr<Communicator> mpi_communicator(World&) { return std::make_unique<MpiCommunicator>(); }

}  // namespace mlsim::calibrate
