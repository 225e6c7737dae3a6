#include "core/document.hpp"

#include <string>

#include "catch.hpp"

using namespace mlsim;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a document gives typed values") {
  const auto doc = Document::parse("name: pod\nbandwidth: 82 GB/s\nsize: [16, 32]\nwrap: true\n", "pod.yaml");
  CHECK(doc.at("name").text() == "pod");
  CHECK(doc.at("bandwidth").quantity<BytesPerSecond>().value == Approx(82e9));
  CHECK(doc.at("size").items()[1].count() == 32);
  CHECK(doc.at("wrap").flag());
}

TEST_CASE("every complaint names file and line") {
  const auto doc = Document::parse("name: pod\nbandwith: 82 GB/s\nsize: many\n", "pod.yaml");
  CHECK_THROWS_WITH(doc.allow_only({"name", "bandwidth", "size"}),
                    ContainsSubstring("pod.yaml:2") && ContainsSubstring("\"bandwidth\""));
  CHECK_THROWS_WITH(doc.at("size").count(), ContainsSubstring("pod.yaml:3"));
  CHECK_THROWS_WITH(doc.at("links"), ContainsSubstring("pod.yaml:1") && ContainsSubstring("\"links\" is missing"));
}

TEST_CASE("broken documents are refused") {
  CHECK_THROWS_AS(Document::parse("", "f"), InputError);
  CHECK_THROWS_AS(Document::parse("a: [1, 2", "f"), InputError);
  CHECK_THROWS_AS(Document::parse(std::string("a: \0b", 5), "f"), InputError);
  CHECK_THROWS_WITH(Document::parse("a: 1\nb: 2\na: 3\n", "f"), ContainsSubstring("f:3") && ContainsSubstring("twice"));
  CHECK_THROWS_AS(Document::parse(std::string(5000, '['), "f"), InputError);
  CHECK_THROWS_AS(Document::load("/nonexistent/pod.yaml"), InputError);
  CHECK_THROWS_AS(Document::load("/"), InputError);
}

TEST_CASE("aliases cannot blow a document up") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += "*a" + std::to_string(i - 1) + (j < 9 ? ", " : "]\n");
  }
  CHECK_THROWS_WITH(Document::parse(text, "bomb.yaml"), ContainsSubstring("too large"));
}
