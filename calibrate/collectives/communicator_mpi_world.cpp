#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/measure.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

// Ranks of one host exchange through its memory, and Open MPI's TCP and libfabric would listen on its addresses. What
// the user says of it counts.
void stay_off_the_network() {
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here != nullptr && all != nullptr && std::string_view(here) == all) ::setenv("OMPI_MCA_btl", "^tcp,ofi", 0);
}

class MpiWorld : public World {
 public:
  explicit MpiWorld(MpiCallers callers) {
    stay_off_the_network();
    const int wanted = callers == MpiCallers::several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int granted = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, wanted, &granted);
    if (granted < wanted) {
      MPI_Finalize();
      throw Unavailable("this MPI may be called by one thread at a time only, and streams are threads");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &ranks_);
  }
  ~MpiWorld() override {
    MPI_Comm_free(&all_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }

  void barrier() override { check(MPI_Barrier(all_), "a barrier"); }

  double largest(double value) override {
    double result = value;
    check(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, all_), "the largest of all ranks");
    return result;
  }

  ClockLead clock_lead() override {
    if (rank_ != 0) return lead_over_root();
    for (int other = 1; other < ranks_; ++other) {
      for (int trip = 0; trip < kRoundTrips; ++trip) {
        check(MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, all_, MPI_STATUS_IGNORE), kClocks);
        const double now = steady_now().value;
        check(MPI_Send(&now, 1, MPI_DOUBLE, other, 0, all_), kClocks);
      }
    }
    return {};
  }

  std::string from_root(const std::string& text) override {
    int size = static_cast<int>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(&size, 1, MPI_INT, 0, all_, &request), kFromRoot);
    await(request);
    std::string result = text;
    result.resize(size);
    check(MPI_Bcast(result.data(), size, MPI_CHAR, 0, all_), kFromRoot);
    return result;
  }

  std::vector<std::string> gathered(const std::string& text) override {
    const int size = static_cast<int>(text.size());
    std::vector<int> sizes(ranks_), starts(sizes.size());
    check(MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, all_), kGathered);
    std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 0);
    std::string joined(static_cast<std::size_t>(starts.back() + sizes.back()), '\0');
    check(MPI_Allgatherv(text.data(), size, MPI_CHAR, joined.data(), sizes.data(), starts.data(), MPI_CHAR, all_),
          kGathered);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      texts.push_back(joined.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(sizes[i])));
    return texts;
  }

 private:
  static constexpr const char* kFromRoot = "word from rank 0";
  static constexpr const char* kGathered = "word from all ranks";

  static constexpr const char* kClocks = "comparing clocks";
  static constexpr int kRoundTrips = 100;  // the quickest of so many is rarely disturbed

  ClockLead lead_over_root() {
    ClockLead lead;
    Seconds quickest(std::numeric_limits<double>::infinity());
    for (int trip = 0; trip < kRoundTrips; ++trip) {
      const Seconds begin = steady_now();
      Seconds root;
      check(MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, all_), kClocks);
      check(MPI_Recv(&root.value, 1, MPI_DOUBLE, 0, 0, all_, MPI_STATUS_IGNORE), kClocks);
      const Seconds end = steady_now();
      if (end - begin >= quickest) continue;
      quickest = end - begin;
      lead = {(begin + end) / 2 - root, (end - begin) / 2};
    }
    return lead;
  }

  void end_ranks(const std::string& why) override {
    std::fprintf(stderr, "mlsim-mpi: %s\n", why.c_str());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }

  void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    abort(fmt::format("rank {} of {} lost the others at {}: {}", rank_, ranks_, what, text));
  }

  // Rank 0 may take long between orders: after a millisecond of looking, far more than lies between two samples, a rank
  // sleeps between looks and leaves its core to whatever else is being measured.
  void await(MPI_Request& request) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    for (int done = 0; true;) {
      check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), kFromRoot);
      if (done) return;
      if (Clock::now() - begin > std::chrono::milliseconds(1))
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
};

}  // namespace

std::unique_ptr<World> mpi_world(MpiCallers callers) { return std::make_unique<MpiWorld>(callers); }

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));  // "Open MPI v4.1.4, package: ..."
}

}  // namespace mlsim::calibrate
