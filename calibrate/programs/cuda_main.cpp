// mlsim-cuda measures kernels of an NVIDIA GPU for mlsim calibrate, order by order from stdin.
#include <iostream>
#include <istream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/bench.hpp"
#include "calibrate/namespace.hpp"
#include "calibrate/programs/program_main.hpp"
#include "core/text/errors.hpp"
#include "kernels/cuda/cuda_catalogue.hpp"
#include "kernels/cuda/framework/device_lost.hpp"

namespace mlsim::calibrate {
namespace {

// A `CudaBench` makes ready what an order wants measured on a GPU, and notices when the GPU is lost. Once a GPU is lost
// nothing more can be measured: `orders` is ended behind the order that lost it.
class CudaBench : public Bench {
 public:
  explicit CudaBench(std::istream& orders) : orders_(orders) {}

  std::unique_ptr<Timed> prepare(const MeasureOrder& order) override {
    return guarded([&]() -> std::unique_ptr<Timed> {
      const auto space = order.subject.find(' ');
      const std::string kind = order.subject.substr(0, space);
      const std::string what = space == std::string::npos ? "" : order.subject.substr(space + 1);
      if (kind == "kernel") return std::make_unique<Guarded>(*this, cuda_kernel(parse_kernel_key(what)));
      if (kind == "probe") return std::make_unique<Guarded>(*this, cuda_probe(what));
      throw InputError("order", unknown_word("subject", kind, {"kernel", "probe"}));
    });
  }

  std::string clock() override { return gpu_clock(); }

  // Returns why the GPU was lost; empty while it is there.
  const std::string& lost() const { return lost_; }

 private:
  template <class F>
  auto guarded(const F& run) -> decltype(run()) {
    try {
      return run();
    } catch (const DeviceLost& e) {
      lost_ = e.what();
      orders_.setstate(std::ios::eofbit);
      throw;
    }
  }

  class Guarded : public Timed {
   public:
    Guarded(CudaBench& bench, std::unique_ptr<Timed> timed) : bench_(bench), timed_(std::move(timed)) {}
    Seconds sample(Cache cache) override {
      return bench_.guarded([&] { return timed_->sample(cache); });
    }
    double largest_error() override {
      return bench_.guarded([&] { return timed_->largest_error(); });
    }
    Bytes bytes() const override { return timed_->bytes(); }
    Flop flop() const override { return timed_->flop(); }

   private:
    CudaBench& bench_;
    std::unique_ptr<Timed> timed_;
  };

  std::istream& orders_;
  std::string lost_;
};

constexpr const char* kUsage =
    "mlsim-cuda              answers measuring orders, a line each, from stdin\n"
    "mlsim-cuda --versions   the GPU and the versions of what measures\n";

void answer(const std::vector<std::string>& words) {
  if (words.empty()) {
    CudaBench bench(std::cin);
    serve(bench, std::cin, std::cout);
    if (!bench.lost().empty()) throw Unavailable(bench.lost());
  } else if (words.front() == "--help") {
    std::cout << kUsage;
  } else if (words.front() == "--versions") {
    std::cout << versions_line(cuda_versions()) << std::endl;
  } else {
    throw InputError(unknown_word("option", words.front(), {"--help", "--versions"}));
  }
}

// A program whose GPU is gone is as one that has none.
void run(const std::vector<std::string>& words) {
  try {
    answer(words);
  } catch (const DeviceLost& e) {
    throw Unavailable(e.what());
  }
}

}  // namespace

}  // namespace mlsim::calibrate

int main(int argc, char** argv) {
  return mlsim::calibrate::program_main("mlsim-cuda", argc, argv, mlsim::calibrate::run);
}
