#include "opening_sentence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// The share of headers that open with a sentence was 3.8 % when it was first counted; this is to be raised with it.
constexpr double kLeastShare = 0.9;

}  // namespace

TEST_CASE("no smaller share of headers opens with a sentence than before") {
  const OpeningSentences all = opening_sentences(tree_files(MLSIM_SOURCE_DIR));
  INFO(fmt::format("{} of {} headers open with a sentence, {:.1f} %. Not these:\n{}", all.headers - all.missing.size(),
                   all.headers, 100 * all.share(), fmt::join(all.missing, "\n")));
  CHECK(all.share() >= kLeastShare);
}

TEST_CASE("a clause with a subject and a verb, or with the verb first, is a sentence") {
  for (const char* comment : {"Decides, sample by sample, when a measurement has seen enough.",
                              "Rank 0 takes orders and leads; others follow.",
                              "Reads the `layers:` of a model file: repeats unrolled.",
                              "Costs a plan: kernels and exchanges.",
                              "Folds ranks that play the same part into classes.",
                              "A cluster is a graph of accelerators and links.",
                              "Without a named stack, the spread between stacks on record widens the interval.",
                              "A halo that an earlier layer already fetched for this tensor is not sent again.",
                              "A temporary file that nobody locks was left by a killed process.",
                              "Ranks exchange their gradients.",
                              "The engine moves flows over shared links.",
                              "Each rank holds one part of the weights.",
                              "Split functions map a model to the part of one rank.",
                              "The fit minimises squared errors of log times.",
                              "Runs of other programs become cases here.",
                              "A step graph lists the kernels of one training step.",
                              "Two anchors tell kernel speed and what ranks cost one another.",
                              "It says which run of a table is nearest.",
                              "Prices hold for the months on record.",
                              "This reader turns a log of nccl-tests into sweeps."}) {
    INFO(comment);
    CHECK(is_sentence(comment));
  }
}

TEST_CASE("a name, a relative clause and what stands behind a colon are none") {
  for (const char* comment : {"",
                              "The options of `mlsim calibrate`, and what they ask for.",
                              "The ranks that were started together.",
                              "What a step takes besides its kernels by themselves.",
                              "Expert parallelism: the experts are shared out.",
                              "One line on a terminal that says what the program is at and how far it is.",
                              "How ranks are brought together.",
                              "Names of catalogues as people write them.",
                              "Lists inside one text: \"a,b;c\".",
                              "Numbers to send.",
                              "A moment in which Ctrl-C has to wait.",
                              "Batches that come one after the other and are in no cache.",
                              "Weight updates by the bytes they move, the state they keep.",
                              "Published runs nearest to a question.",
                              "All that a report says of one job besides its answer.",
                              "Which engines this program was built with.",
                              "A published speed of a whole step that a prediction may lean on.",
                              "Model files by name.",
                              "What of a model's samples is padding, and whose code does not compute it.",
                              "Where results go: to stdout, or to a caller in this process."}) {
    INFO(comment);
    CHECK(!is_sentence(comment));
  }
}

TEST_CASE("headers of the product count, by the comment that they begin with") {
  const OpeningSentences all = opening_sentences({{"core/a.hpp", {"// Reads", "// a file.", "", "// The rest"}},
                                                  {"core/b.hpp", {"#pragma once", "// Reads a file."}},
                                                  {"core/c.cpp", {"// The file"}},
                                                  {"tests/d.hpp", {"// The file"}}});
  CHECK(all.headers == 2);
  CHECK(all.missing == std::vector<std::string>{"core/b.hpp: "});
  CHECK(all.share() == 0.5);
}
