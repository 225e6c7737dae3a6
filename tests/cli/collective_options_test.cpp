// Which payloads `mpirun mlsim calibrate` would measure, in the words of nccl-tests and in its own.
#include <regex>
#include <set>

#include "bad_case.hpp"

namespace {

const std::string kTwoRanks = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_RANK=0 ";

using Payloads = std::set<double>;

Payloads planned(const std::string& options) {
  const ProgramRun run =
      run_mlsim("calibrate --dry-run --collectives all-reduce --precision fp32 " + options, kTwoRanks);
  INFO(options << run.err);
  CHECK(run.code == 0);
  static const std::regex subject("collective all-reduce mpi cpu fp32 (\\d+)");
  Payloads found;
  for (auto at = std::sregex_iterator(run.out.begin(), run.out.end(), subject); at != std::sregex_iterator(); ++at)
    found.insert(std::stod((*at)[1]));
  return found;
}

BadCase under_mpirun(const std::string& options, const std::string& says) {
  return {"calibrate --dry-run " + options, says, 2, kTwoRanks};
}

}  // namespace

TEST_CASE("payloads are nccl-tests' grid from -b to -e by -f, each with its default") {
  const Payloads usual = planned("");
  CHECK(usual.size() == 25);  // 8 B to 128 MiB
  CHECK(planned("-b 8 -e 128M -f 2") == usual);
  CHECK(planned("--min-bytes 1K --max-bytes '16 KiB' --step-factor 4") == Payloads{1024, 4096, 16384});
  CHECK(planned("-e 32") == Payloads{8, 16, 32});
  CHECK(planned("-b 64M") == Payloads{67108864, 134217728});
  CHECK(planned("-e 1G").count(1073741824) == 1);
  CHECK(planned("-b 1M -e 1M") == Payloads{1048576});
  CHECK(planned("-b 100 -e 1kB -f 3") == Payloads{100, 300, 900});
  CHECK(planned("--quick") == Payloads{1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216});
  CHECK(planned("--quick -e 8K") == Payloads{1024, 4096});
}

TEST_CASE("of a list that is named -b and -e keep what lies between") {
  CHECK(planned("--sizes quick -b 2K -e 100K") == Payloads{4096, 16384, 65536});
  CHECK(planned("--sizes quick -e 1G").size() == 8);
  CHECK(planned("--sizes task0").size() == 80);
  CHECK(planned("--sizes task0 --max-bytes 16") == Payloads{4, 8, 12, 16});
}

TEST_CASE("payloads that make no sense are refused with what would") {
  check({under_mpirun("-b 2M -e 1M", "--min-bytes: the smallest payload, 2.00 MiB, is above the largest, 1.00 MiB"),
         under_mpirun("-b 1G", "--min-bytes: the smallest payload, 1.00 GiB, is above the largest, 128 MiB"),
         under_mpirun("-e 4", "--max-bytes: the smallest payload, 8.00 B, is above the largest, 4.00 B"),
         under_mpirun("-f 1", "--step-factor: 1 is not above 1"), under_mpirun("-f 0.5", "--step-factor: "),
         under_mpirun("-f two", "--step-factor: \"two\""), under_mpirun("--step-factor=-2", "--step-factor: -2"),
         under_mpirun("-f 1.0001", "choose a larger factor"),
         under_mpirun("--min-bytes=-8", "--min-bytes: \"-8\" is less than one byte"),
         under_mpirun("-b 0", "less than one byte"), under_mpirun("-b many", "--min-bytes: "),
         under_mpirun("-e 12Q", "--max-bytes: "), under_mpirun("-b ''", "is empty"),
         under_mpirun("--sizes task0 -f 2", "--step-factor: has no meaning beside --sizes task0"),
         under_mpirun("--sizes quick -b 5K -e 6K", "--sizes: quick has no size from 5.00 KiB to 6.00 KiB"),
         under_mpirun("--sizes quik", "did you mean \"quick\"?")});
  for (const auto* option : {"-b 8", "-e 8", "-f 2"})
    check({{std::string("calibrate ") + option, "mpirun -n 2 mlsim calibrate"}});
}
