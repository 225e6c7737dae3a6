// mlsim: runs one command line, and turns every error into one sentence and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/program.hpp"
#include "core/errors.hpp"

namespace {

int report(const std::exception& error, int code) {
  fmt::print(stderr, "mlsim: {}\n", error.what());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mlsim::cli;
  try {
    const int code = run_program({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw mlsim::InputError("stdout", "cannot be written; is the disk full?");
    return code;
  } catch (const mlsim::InputError& e) {
    return report(e, kBadInputCode);
  } catch (const mlsim::Infeasible& e) {
    return report(e, kNegativeCode);
  } catch (const mlsim::Unavailable& e) {
    return report(e, kMachineCode);
  } catch (const mlsim::MachineFailed& e) {
    return report(e, kMachineCode);
  } catch (const std::bad_alloc&) {
    return report(mlsim::MachineFailed("there is not enough memory"), kMachineCode);
  } catch (const std::exception& e) {
    return report(e, kBadInputCode);
  }
}
