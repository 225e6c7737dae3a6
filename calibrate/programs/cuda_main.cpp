// mlsim-cuda measures kernels of an NVIDIA GPU for mlsim calibrate, order by order from stdin.
#include <iostream>
#include <string>
#include <vector>

#include "calibrate/programs/cuda_bench.hpp"
#include "calibrate/programs/program_main.hpp"
#include "calibrate/serve.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

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
