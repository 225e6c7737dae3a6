// Runs the built mlsim and keeps what it said.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

struct ProgramRun {
  int code = -1;  // -1: it did not exit by itself
  std::string out, err;
};

/// A new empty folder, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mlsim-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// `arguments` as a shell would read them. Stops the program after a minute.
inline ProgramRun run_mlsim(const std::string& arguments) {
  static const ScratchFolder scratch;
  const std::string out = scratch.path("out"), err = scratch.path("err");
  const std::string command =
      std::string("timeout 60 ") + MLSIM_PROGRAM + " " + arguments + " >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  ProgramRun run;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  run.out = text_of(out);
  run.err = text_of(err);
  return run;
}
