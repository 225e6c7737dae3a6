#include "core/files/writer_lock.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "catch.hpp"
#include "core/process/child_process.hpp"
#include "core/process/message.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A process that holds the file until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& path) : process_([path](int socket) { hold(path, socket); }) {
    receive_message(process_.socket());
  }
  void kill() {
    process_.kill();
    process_.wait();
  }

 private:
  static void hold(const std::string& path, int socket) {
    const WriterLock lock(path, "mlsim calibrate");
    send_message(socket, "held");
    receive_message(socket);
  }
  ChildProcess process_;
};

}  // namespace

TEST_CASE("a file that another process adds to is refused with that process's name") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.json", "{}");
  Holder holder(path);
  CHECK_THROWS_WITH(WriterLock(path, "mlsim import"), ContainsSubstring("a.json: is being written by process ") &&
                                                          ContainsSubstring("(mlsim calibrate)"));
  const WriterLock other(folder.path("b.json"), "mlsim import");  // another file is nobody's
}

TEST_CASE("two names of one file have one lock") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.json", "{}"), link = folder.path("link.json");
  std::filesystem::create_symlink("a.json", link);
  Holder holder(path);
  CHECK_THROWS_AS(WriterLock(link, "mlsim import"), InputError);
}

TEST_CASE("the lock of a process that was killed holds up nobody, and nothing stays behind") {
  const ScratchFolder folder;
  const std::string path = folder.path("a.json");
  Holder(path).kill();
  CHECK(folder.entries() == 1);  // what the dead have left
  { const WriterLock lock(path, "mlsim import"); }
  CHECK(folder.entries() == 0);
}

TEST_CASE("whoever waits is told for whom, and goes on when that one has ended") {
  const ScratchFolder folder;
  const std::string path = folder.path("a.json");
  Holder holder(path);
  std::string told;
  const WriterLock lock(path, "mlsim import", {Seconds(30), [&](const std::string& who) {
                                                 told = who;
                                                 holder.kill();
                                               }});
  CHECK_THAT(told, ContainsSubstring("(mlsim calibrate)"));
}

TEST_CASE("a lock that cannot be made, or is a link somewhere else, is refused by the file's name") {
  const ScratchFolder folder;
  CHECK_THROWS_WITH(WriterLock(folder.path("no/such.json"), "mlsim import"),
                    ContainsSubstring("such.json: cannot be written"));
  const std::string target = folder.file("target", "text");
  std::filesystem::create_symlink(target, folder.path("a.json.lock"));
  CHECK_THROWS_WITH(WriterLock(folder.path("a.json"), "mlsim import"), ContainsSubstring("cannot be written"));
  CHECK(text_of(target) == "text");
}
