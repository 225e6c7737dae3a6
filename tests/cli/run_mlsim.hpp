// Runs the built mlsim and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "scratch_folder.hpp"

struct ProgramRun {
  int code = -1;  // -1: it did not exit by itself
  std::string out, err;
};

/// `arguments` as a shell would read them, and so `environment`, "NAME=value ". Stops the program after a minute.
inline ProgramRun run_mlsim(const std::string& arguments, const std::string& environment = "") {
  static const ScratchFolder scratch;
  const std::string out = scratch.path("out"), err = scratch.path("err");
  const std::string command =
      environment + "timeout 250 " + MLSIM_PROGRAM + " " + arguments + " >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  ProgramRun run;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  run.out = text_of(out);
  run.err = text_of(err);
  return run;
}

/// The text on one line, however wide the terminal is: a space for each run of blanks and line ends.
inline std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}
