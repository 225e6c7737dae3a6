#include "core/files/folder.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the YAML files of a folder come sorted, without those of folders in it") {
  const ScratchFolder folder;
  folder.file("b.yaml", "");
  folder.file("a.yml", "");
  folder.file("notes.md", "");
  folder.file("below/c.yaml", "");
  CHECK(yaml_files(folder.path().string()) == std::vector<std::string>{folder.path("a.yml"), folder.path("b.yaml")});
}

TEST_CASE("what is no folder is refused by its name") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(yaml_files(folder.path("none")), InputError);
  CHECK_THROWS_WITH(yaml_files(folder.file("file", "")), ContainsSubstring("/file: cannot be read as a folder"));
}
