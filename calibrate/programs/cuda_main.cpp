// mlsim-cuda: measures kernels of an NVIDIA GPU for mlsim calibrate, order by order from stdin.
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "calibrate/programs/cuda_bench.hpp"
#include "calibrate/serve.hpp"
#include "core/errors.hpp"

namespace mlsim {
namespace {

constexpr int kFailed = 1, kWrongInput = 2, kUnavailable = 3;
constexpr const char* kUsage =
    "mlsim-cuda              answers measuring orders, a line each, from stdin\n"
    "mlsim-cuda --versions   the GPU and the versions of what measures\n";

void run(const std::vector<std::string>& words) {
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

}  // namespace
}  // namespace mlsim

int main(int argc, char** argv) {
  try {
    mlsim::run({argv + 1, argv + argc});
    return 0;
  } catch (const mlsim::InputError& e) {
    std::cerr << "mlsim-cuda: " << e.what() << std::endl;
    return mlsim::kWrongInput;
  } catch (const mlsim::Unavailable& e) {
    std::cerr << "mlsim-cuda: " << e.what() << std::endl;
    return mlsim::kUnavailable;
  } catch (const mlsim::DeviceLost& e) {
    std::cerr << "mlsim-cuda: " << e.what() << std::endl;
    return mlsim::kUnavailable;
  } catch (const std::exception& e) {
    std::cerr << "mlsim-cuda: " << e.what() << std::endl;
    return mlsim::kFailed;
  }
}
