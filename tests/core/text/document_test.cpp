#include "core/text/document.hpp"

#include <string>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;
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

TEST_CASE("a second document and bytes that are no UTF-8 are refused with their line") {
  CHECK_THROWS_WITH(Document::parse("a: 1\n---\nb: 2\n", "f"), ContainsSubstring("f:2: a second document"));
  CHECK_THROWS_WITH(Document::parse("a: 1\nb: caf\xe9\n", "f"), ContainsSubstring("f:2: is not UTF-8"));
  CHECK_THROWS_AS(Document::parse("a: \xe2\x82", "f"), InputError);  // a euro sign cut short
  CHECK(Document::parse("a: caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n", "f").has("a"));
}

TEST_CASE("aliases cannot blow a document up") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += "*a" + std::to_string(i - 1) + (j < 9 ? ", " : "]\n");
  }
  CHECK_THROWS_WITH(Document::parse(text, "bomb.yaml"), ContainsSubstring("too large"));
  CHECK_THROWS_WITH(Document::parse("a: 1\nb: &b [*b]\n", "f"), ContainsSubstring("f:2: an alias stands inside"));
  CHECK(Document::parse("a: &a [1, 2]\nb: *a\n", "f").at("b").items()[1].count() == 2);
}

TEST_CASE("what follows a finished document is refused, not read for ever") {
  CHECK_THROWS_WITH(Document::parse("[a], b\n", "f"), ContainsSubstring("f:1: a second document"));
  CHECK_THROWS_AS(Document::parse(", a: b\n", "f"), InputError);
  CHECK_THROWS_AS(Document::parse("a: 1\n}\n", "f"), InputError);
}

TEST_CASE("a key must be a word") {
  for (const char* text : {"? [a, b]\n: c\n", "? {a: b}\n: c\n", "~: c\n", "a: &a [1]\n*a : c\n"}) {
    INFO(text);
    CHECK_THROWS_WITH(Document::parse(text, "f"), ContainsSubstring("a key must be a word"));
  }
  CHECK(Document::parse("a: &a word\n*a : 3\n", "f").at("word").count() == 3);
}

TEST_CASE("a file that the build has read is the document that its text is") {
  const std::string text = "name: pod\nnodes: &n\n  - {size: 4}\n  - size: many\nmore: *n\nempty:\n";
  const std::string tree = yaml_tree(text, "pod.yaml");
  const auto embedded = Document::embedded({"pod.yaml", "not: the text", tree}, "catalogue/pod.yaml");
  CHECK(embedded.at("name").text() == "pod");
  CHECK(embedded.at("more").items().at(0).at("size").count() == 4);
  CHECK(embedded.entries().size() == 4);
  CHECK_THROWS_WITH(embedded.at("nodes").items().at(1).at("size").count(),
                    ContainsSubstring("catalogue/pod.yaml:4") && ContainsSubstring("\"many\""));
  CHECK_THROWS_WITH(embedded.at("empty").text(), ContainsSubstring("catalogue/pod.yaml:7: the value is missing"));
  CHECK(Document::embedded({"own.yaml", "name: own\n"}, "own.yaml").at("name").text() == "own");
}

TEST_CASE("a value that a terminal would act on is refused where it stands") {
  CHECK_THROWS_WITH(Document::parse("a: 1\nname: \"\\e[31mred\"\n", "f"),
                    ContainsSubstring("f:2: a value holds a control"));
  CHECK_THROWS_AS(Document::parse("\"\\e[31m\": 1\n", "f"), InputError);
  CHECK(Document::parse("a: \"two\\nlines\\tand more\"\n", "f").at("a").text() == "two\nlines\tand more");
}
