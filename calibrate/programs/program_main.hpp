// program_main() is the outermost frame of a one-process measuring program: errors become a sentence and an exit code.
#pragma once

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {

/// Measuring programs end with these exit codes.
inline constexpr int kFailed = 1, kWrongInput = 2, kUnavailable = 3;

/// Runs `run` on the words behind the program's name. Returns 0 done, 1 failed, 2 wrong input, 3 something missing.
template <class Run>
int program_main(const std::string& name, int argc, char** argv, Run run) {
  const auto report = [&](const std::exception& error, int code) {
    std::cerr << name << ": " << error.what() << std::endl;
    return code;
  };
  try {
    run(std::vector<std::string>(argv + 1, argv + argc));
    return 0;
  } catch (const InputError& e) {
    return report(e, kWrongInput);
  } catch (const Unavailable& e) {
    return report(e, kUnavailable);
  } catch (const std::exception& e) {
    return report(e, kFailed);
  }
}

}  // namespace mlsim::calibrate
