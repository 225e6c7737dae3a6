// Model files that are wrong: file, line and reason, nothing written.
#include "bad_case.hpp"

namespace {

const std::string kModel = R"(title: Small classifier
target: 80 % top-1
sample: image
family: convolutional
parameters: {width: 16, blocks: 3}
input: {channels: 3, height: 32, width: 32}
dataset: {name: own images, train_samples: 50000, validation_samples: 10000}
source: {provenance: assumed, source: an example}
layers:
  - {layer: convolution, name: stem, channels: width, kernel: 3}
  - block: body
    repeat: blocks
    layers:
      - {layer: convolution, name: conv, channels: width, kernel: 3}
      - {layer: add, name: sum, shortcut: block_input}
  - {layer: average_pool, name: pool, kernel: 32}
  - {layer: dense, name: classifier, outputs: 10}
  - {layer: softmax_loss, name: loss}
)";

// One change to the model above, and what is said of it.
struct Slip {
  std::string old, now, says;
};

std::string replaced(const Slip& slip) {
  std::string text = kModel;
  const auto at = text.find(slip.old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, slip.old.size(), slip.now);
}

std::string question(const std::string& workload) {
  return "predict --topology torus4x4 --accelerators 1 --workload " + workload;
}

}  // namespace

TEST_CASE("the model that the slips are made in is right") {
  const ScratchFolder folder;
  CHECK(run_mlsim(question(folder.file("own.yaml", kModel))).code == 0);
  CHECK(run_mlsim(question(folder.path("own.yaml") + ":width=8")).code == 0);
}

TEST_CASE("a slip in a model file is refused with its line") {
  const std::vector<Slip> slips{
      {"kernel: 32", "kernel: 40", "own.yaml:16: the kernel of pool is larger than its input"},
      {"channels: width, kernel: 3}\n      - {layer: add", "channels: 8, kernel: 3}\n      - {layer: add",
       "own.yaml:15: sum adds tensors of different shapes"},
      {"layer: add", "layer: ad", "own.yaml:15: unknown layer kind \"ad\"; did you mean \"add\"?"},
      {"layer: dense", "layer: perceptron", "own.yaml:17: unknown layer kind \"perceptron\"; known: convolution"},
      {"repeat: blocks", "repeat: 0", "own.yaml:12: 0 is below the smallest possible value, 1"},
      {"repeat: blocks", "repeat: 1000000000", "more than 100000 layers"},
      {"shortcut: block_input", "shortcut: sum", "own.yaml:15: sum reads itself, a cycle"},
      {"kernel: 3}\n  - block", "kernel: 3, input: pool}\n  - block",
       "own.yaml:10: \"pool\" does not come before stem"},
      {"target: 80 % top-1\n", "", "the key \"target\" is missing"},
      {"title", "titel", "own.yaml:1: unknown key \"titel\"; did you mean \"title\"?"},
      {"outputs", "output", "own.yaml:17: unknown key \"output\"; did you mean \"outputs\"?"},
      {", outputs: 10", "", "own.yaml:17: the key \"outputs\" is missing"},
      {"channels: width, kernel: 3}\n  - block", "channels: width / 3, kernel: 3}\n  - block",
       "own.yaml:10: \"width / 3\" does not divide"},
      {"channels: width, kernel: 3}\n  - block", "channels: widht, kernel: 3}\n  - block",
       "own.yaml:10: unknown parameter \"widht\"; did you mean \"width\"?"},
      {"width: 16", "width: 1e300", "own.yaml:5: \"1e300\" is not a whole number"},
      {"width: 16", "width: .nan", "own.yaml:5: \".nan\" is not a whole number"},
      {"blocks: 3", "blocks: 3, spare: 1", "own.yaml:5: no count of the file uses the parameter \"spare\""},
      {"family: convolutional", "family: convolutionel", "own.yaml:4: unknown family"},
      {"sample: image", "sample: image\nbenchmark: resnt", "own.yaml:4: unknown benchmark \"resnt\"; did you mean"},
      {"name: pool", "name: stem", "own.yaml:16: the layer name \"stem\" stands twice"},
      {"train_samples: 50000", "train_samples: 0", "own.yaml:7: 0 is below the smallest possible value, 1"},
      {"  - {layer: softmax_loss, name: loss}\n", "", "the model has no loss"},
      {"sample: image", "title: again", "own.yaml:3: key \"title\" stands twice"},
      {"name: loss}\n", "name: loss}\n---\ntitle: second\n", "a second document starts here"},
      {"title: Small", "title: caf\xe9", "own.yaml:1: is not UTF-8 text"},
  };
  const ScratchFolder folder;
  const std::string output = folder.file("answer.txt", "kept from before\n");
  for (const auto& slip : slips)
    check({question(folder.file("own.yaml", replaced(slip))) + " --output " + output, slip.says});
  CHECK(text_of(output) == "kept from before\n");
  CHECK(folder.entries() == 2);
}

TEST_CASE("parameters that a model lacks or that make it wrong are refused") {
  const ScratchFolder folder;
  const std::string own = folder.file("own.yaml", kModel);
  check({{question(own + ":layers=2"), "own.yaml:layers=2: unknown parameter \"layers\"; known: width, blocks"},
         {question(own + ":widht=2"), "did you mean \"width\"?"},
         {question(own + ":width=0"), "own.yaml:10: 0 is below the smallest possible value, 1"},
         {question(own + ":width=abc"), "\"abc\" is not a whole number"},
         {question(own + ":width"), "\"width\" is not PARAMETER=NUMBER"},
         {question(own + ":width=8,width=9"), "the parameter \"width\" stands twice"},
         {question("resnet50:depth=2"), "unknown parameter \"depth\"; the model has none"},
         {question("bert-large:sequnce=128"), "did you mean \"sequence\"?"},
         {question("bert-large:hidden=1000"), "16 heads do not divide the 1000"},
         {question("bert-large:sequence=100000000"), "absurdly large"}});
}

TEST_CASE("files that are no models are refused at once") {
  const ScratchFolder folder;
  std::string large = "layers:\n";
  while (large.size() < 5'000'000) large += "  - {layer: relu, name: a}\n";
  std::string deep(100'000, '[');
  check({{question(folder.file("empty.yaml", "")), "empty.yaml:1: is empty"},
         {question(folder.file("large.yaml", large)), "larger than 4 MiB"},
         {question(folder.file("deep.yaml", deep)), "deep.yaml:1"},
         {question(folder.file("zero.yaml", std::string(3, '\0'))), "zero.yaml:1: is not text"},
         {question(folder.path("")), "it is a folder"},
         {question(folder.path("none.yaml")), "cannot be opened"}});
}
