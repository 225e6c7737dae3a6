// A copy of mlsim beside a measuring program that is a few lines of shell.
#pragma once

#include <filesystem>
#include <string>

#include "run_mlsim.hpp"

/// Every order is answered with a millisecond, and by `quirk` of sed before that.
inline std::string fake_program(const std::string& quirk, const std::string& hosts) {
  return "#!/bin/sh\n"
         "if [ \"$1\" = --versions ]; then echo '{\"fake\": \"1.0\"}'; exit 0; fi\n"
         "exec sed -u '" +
         quirk +
         "s/,\"rule\":{.*$/"
         ",\"unavailable\":\"\",\"median_s\":0.001,\"lower_quartile_s\":0.001,\"upper_quartile_s\":0.001,"
         "\"count\":10,\"outliers\":0,\"bytes\":1000000,\"flop\":2000000,\"stopped_by\":\"noise\",\"largest_error\":0,"
         "\"clock\":\"2.00 GHz\",\"hosts\":" +
         hosts + "}/'\n";
}

/// A folder with a copy of mlsim, and what is beside it.
class CalibrationBench {
 public:
  explicit CalibrationBench(const std::string& program = "mlsim-cpu", const std::string& quirk = "",
                            const std::string& hosts = "[]") {
    std::filesystem::copy_file(MLSIM_PROGRAM, folder_.path("mlsim"));
    if (!program.empty()) replace(program, quirk, hosts);
  }
  void replace(const std::string& program, const std::string& quirk, const std::string& hosts = "[]") const {
    const std::string path = folder_.file(program, fake_program(quirk, hosts));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  ProgramRun calibrate(const std::string& options, const std::string& before = "") const {
    const std::string command = "cd '" + folder_.path().string() + "' && " + before +
                                " timeout 250 ./mlsim calibrate " + options + " >out 2>err";
    const int status = std::system(command.c_str());
    ProgramRun run;
    if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
    run.out = text_of(folder_.path("out"));
    run.err = text_of(folder_.path("err"));
    return run;
  }
  std::string file(const std::string& name) const { return text_of(folder_.path(name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_.path(name)); }
  const ScratchFolder& folder() const { return folder_; }

 private:
  ScratchFolder folder_;
};

inline const std::string kSmallCalibration = "--quick --workload logreg-epsilon --threads 1 ";
