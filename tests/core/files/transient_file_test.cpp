// Files that a signal's handler removes.
#include "core/files/transient_file.hpp"

#include <filesystem>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;

TEST_CASE("a transient file goes with its scope or by the handler, unless it was let go") {
  const ScratchFolder folder;
  const std::string gone = folder.file("gone", "x"), kept = folder.file("kept", "x"), ended = folder.file("ended", "x");
  {
    const TransientFile first(gone);
    TransientFile second(kept);
    second.let_go();
  }
  CHECK_FALSE(std::filesystem::exists(gone));
  CHECK(std::filesystem::exists(kept));
  const TransientFile third(ended);
  remove_transient_files();
  CHECK_FALSE(std::filesystem::exists(ended));
  CHECK(std::filesystem::exists(kept));
}

TEST_CASE("more transient files than the handler knows still go with their scope") {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<TransientFile>> many;
  for (int i = 0; i < 50; ++i) many.push_back(std::make_unique<TransientFile>(folder.file(std::to_string(i), "x")));
  many.clear();
  CHECK(folder.entries() == 0);
}
