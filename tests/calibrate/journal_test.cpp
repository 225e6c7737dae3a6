#include "calibrate/journal.hpp"

#include <sys/resource.h>

#include <csignal>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const JournalIdentity kJournalIdentity{"0123", "host (processor)", "mlsim 1"};

MeasureReply reply(const std::string& subject) {
  MeasureReply made;
  made.subject = subject;
  made.time = {Seconds(2), Seconds(1), Seconds(3), 10, 0};
  return made;
}

// While it lives no file grows; the kernel's signal is ignored for its error.
class FullDisk {
 public:
  FullDisk() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

// A journal with two replies.
std::string begun(const ScratchFolder& folder) {
  const std::string path = folder.path("profile.json.journal");
  Journal journal(path, kJournalIdentity, false);
  journal.append(reply("probe a"));
  journal.append(reply("probe b"));
  return path;
}

}  // namespace

TEST_CASE("a journal gives back what was appended, and goes on behind it") {
  const ScratchFolder folder;
  const std::string path = begun(folder);
  {
    Journal journal(path, kJournalIdentity, false);
    CHECK(journal.replies() == std::vector{reply("probe a"), reply("probe b")});
    journal.append(reply("probe c"));
  }
  CHECK(Journal(path, kJournalIdentity, false).replies().size() == 3);
  CHECK(Journal(path, kJournalIdentity, true).replies().empty());
}

TEST_CASE("a last line that was cut off is dropped and measured again") {
  const ScratchFolder folder;
  const std::string path = begun(folder), text = text_of(path);
  for (const std::size_t cut : {1u, 20u, 100u}) {
    folder.file("profile.json.journal", text.substr(0, text.size() - cut));
    Journal journal(path, kJournalIdentity, false);
    CHECK(journal.replies() == std::vector{reply("probe a")});
    journal.append(reply("probe b"));
    CHECK(text_of(path) == text);
  }
}

TEST_CASE("a journal that was cut off in its first line begins anew") {
  const ScratchFolder folder;
  const std::string path = begun(folder), text = text_of(path);
  folder.file("profile.json.journal", text.substr(0, 10));
  CHECK(Journal(path, kJournalIdentity, false).replies().empty());
  CHECK(text_of(path) == text.substr(0, text.find('\n') + 1));
}

TEST_CASE("a journal of another machine, version or plan is refused") {
  const ScratchFolder folder;
  const std::string path = begun(folder), text = text_of(path);
  const auto refusal = [&](JournalIdentity identity, const std::string& says) {
    CHECK_THROWS_WITH(Journal(path, identity, false), ContainsSubstring(says) && ContainsSubstring("--restart"));
  };
  refusal({"0123", "another", "mlsim 1"}, "another machine");
  refusal({"0123", "host (processor)", "mlsim 2"}, "another version");
  refusal({"4567", "host (processor)", "mlsim 1"}, "another plan");
  CHECK(text_of(path) == text);
}

TEST_CASE("a file that is no journal, or a damaged one, is refused and left alone") {
  const ScratchFolder folder;
  const std::string path = begun(folder);
  const std::string damaged = text_of(path) + "{\"subject\": 1}\n";
  for (const std::string& text : {std::string("notes\n"), damaged}) {
    folder.file("profile.json.journal", text);
    CHECK_THROWS_WITH(Journal(path, kJournalIdentity, false), ContainsSubstring("--restart"));
    CHECK(text_of(path) == text);
  }
}

TEST_CASE("a journal that is a link is not followed, even by --restart") {
  const ScratchFolder folder;
  const std::string target = folder.file("target", "text"), path = folder.path("profile.json.journal");
  std::filesystem::create_symlink(target, path);
  for (const bool restart : {false, true})
    CHECK_THROWS_WITH(Journal(path, kJournalIdentity, restart), ContainsSubstring("is a symbolic link"));
  CHECK(text_of(target) == "text");
}

TEST_CASE("a full disk is a sentence with the journal's name") {
  const ScratchFolder folder;
  const std::string path = folder.path("profile.json.journal");
  {
    const FullDisk disk;
    CHECK_THROWS_WITH(Journal(path, kJournalIdentity, false),
                      ContainsSubstring(path) && ContainsSubstring("File too large"));
  }
  CHECK_THROWS_WITH(Journal(folder.path("no/such/journal"), kJournalIdentity, false),
                    ContainsSubstring("cannot be written"));
}

TEST_CASE("a journal that is done with is removed") {
  const ScratchFolder folder;
  Journal journal(begun(folder), kJournalIdentity, false);
  journal.remove();
  CHECK(folder.entries() == 0);
}
