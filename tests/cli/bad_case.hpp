// A wrong question and what mlsim must say to it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

struct BadCase {
  std::string arguments;
  std::string says;  // part of the message
  int code = 2;
  std::string environment = "";
};

inline const std::string kPredict = "predict --topology torus4x4 --workload resnet50 ";

/// One sentence on one line of stderr, from mlsim itself; nothing on stdout.
inline void check(const BadCase& bad) {
  INFO(bad.environment << "mlsim " << bad.arguments);
  const ProgramRun run = run_mlsim(bad.arguments, bad.environment);
  CHECK(run.code == bad.code);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, ContainsSubstring(bad.says));
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  CHECK_THAT(run.err, ContainsSubstring("mlsim: "));
}

inline void check(const std::vector<BadCase>& cases) {
  for (const auto& bad : cases) check(bad);
}
