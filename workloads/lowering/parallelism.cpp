#include "workloads/lowering/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::workloads {
namespace {

constexpr auto kPlace = "--parallelism";
constexpr int kMostRanks = 1 << 24;

Axis axis_at(std::size_t i) { return static_cast<Axis>(i); }

// The product does not overflow, whatever was asked.
std::int64_t product_of(const Parallelism& parallelism) {
  std::int64_t product = 1;
  for (const int size : parallelism.sizes) product = std::min<std::int64_t>(product * size, std::int64_t{1} << 40);
  return product;
}

// Returns the size nearest to `wanted` that divides `whole`; of two equally near ones the larger.
int nearest_divisor(int wanted, int whole) {
  int best = 1;
  for (int d = 1; d <= whole; ++d) {
    if (whole % d == 0 && std::abs(d - wanted) <= std::abs(best - wanted)) best = d;
  }
  return best;
}

// Shortens or lengthens one axis, where data is given, by the least factor so that all together cover the ranks; where
// that does not help, each axis but data goes in turn to the nearest divisor of what is left, and data takes the rest.
Parallelism nearest_that_fits(const Parallelism& wanted, int ranks, bool data_given) {
  std::optional<Parallelism> best;
  double least = 0;
  for (std::size_t i = 0; data_given && i < kAxes; ++i) {
    const std::int64_t others = product_of(wanted) / wanted.sizes[i];
    if ((wanted.sizes[i] == 1 && axis_at(i) != Axis::data) || others > ranks || ranks % others != 0) continue;
    const int size = static_cast<int>(ranks / others);
    const double change = std::abs(std::log2(double(size) / wanted.sizes[i]));
    if (best && change >= least) continue;
    best = wanted;
    best->sizes[i] = size;
    least = change;
  }
  if (best) return *best;
  Parallelism fits;
  int left = ranks;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (axis_at(i) == Axis::data) continue;
    fits.sizes[i] = nearest_divisor(wanted.sizes[i], left);
    left /= fits.sizes[i];
  }
  fits[Axis::data] = left;
  return fits;
}

}  // namespace

std::string to_text(AxisSet set) {
  std::string text;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (set.has(axis_at(i))) text += (text.empty() ? "" : "+") + names<Axis>()[i];
  }
  return text.empty() ? "none" : text;
}

int Parallelism::size_of(AxisSet set) const {
  int product = 1;
  for (std::size_t i = 0; i < kAxes; ++i) product *= set.has(axis_at(i)) ? sizes[i] : 1;
  return product;
}

int Parallelism::ranks() const { return size_of(kGradientAxes | Axis::tensor | Axis::pipeline); }

AxisSet Parallelism::used(AxisSet set) const {
  AxisSet result;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (sizes[i] > 1 && set.has(axis_at(i))) result = result | axis_at(i);
  }
  return result;
}

namespace {

// Writes the axes longer than 1, and those of `besides`; rows and columns as one word, "spatial=2x2", and replicas as
// the data ranks that they are.
std::string axes_text(const Parallelism& parallelism, const std::string& separator,
                      const std::set<std::string>& besides = {}) {
  std::string text;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Axis axis = axis_at(i);
    const int columns = axis == Axis::spatial ? parallelism[Axis::columns] : 1;
    const int size = parallelism[axis] * (axis == Axis::data ? parallelism[Axis::replica] : 1);
    const bool shown = size > 1 || columns > 1 || besides.contains(names<Axis>()[i]);
    if (!shown || axis == Axis::columns || axis == Axis::replica) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : separator, name(axis), size);
    if (columns > 1) text += fmt::format("x{}", columns);
  }
  return text;
}

}  // namespace

std::string to_text(const Parallelism& parallelism) {
  const std::string text = axes_text(parallelism, ", ");
  return text.empty() ? "data=1" : text;
}

Parallelism data_parallel(int ranks) {
  Parallelism parallelism;
  parallelism[Axis::data] = ranks;
  return parallelism;
}

namespace {

struct GivenAxes {
  ParallelismRequest request;
  std::set<std::string> seen;  // words
};

int axis_size(const std::string& word, const std::string& text) {
  int size = 0;
  try {
    size = parse_count(text);
  } catch (const InputError& e) {
    throw InputError(kPlace, e.reason());
  }
  if (size > kMostRanks) throw InputError(kPlace, fmt::format("{} is at most {}, not {}", word, kMostRanks, size));
  return size;
}

// Lists the words of a request that are no axis, and what each sets.
const std::vector<std::pair<std::string, int ParallelismRequest::*>>& counts() {
  static const std::vector<std::pair<std::string, int ParallelismRequest::*>> table{
      {"micro_batches", &ParallelismRequest::micro_batches},
      {"micro_batch", &ParallelismRequest::micro_batch},
      {"interleave", &ParallelismRequest::interleave},
      {"expert_tensor", &ParallelismRequest::expert_tensor}};
  return table;
}

// Returns the word that a flag of Megatron-LM or its users stands for, or the word itself.
std::string full_word(const std::string& word) {
  static const std::map<std::string, std::string> table{
      {"dp", "data"},   {"tp", "tensor"},      {"pp", "pipeline"},       {"cp", "context"},
      {"ep", "expert"}, {"vpp", "interleave"}, {"etp", "expert_tensor"}, {"mbs", "micro_batch"}};
  const auto found = table.find(word);
  return found == table.end() ? word : found->second;
}

// Lists the axes, then the counts.
std::vector<std::string> known_words() {
  std::vector<std::string> known = names<Axis>();
  known.resize(static_cast<std::size_t>(Axis::columns));  // those behind have no word of their own
  for (const auto& [count, at] : counts()) known.push_back(count);
  return known;
}

// Reads "pipeline=8" or "spatial=2x2" into the axes given.
void take_item(const std::string& item, GivenAxes& given) {
  const auto equals = item.find('=');
  if (equals == std::string::npos)
    throw InputError(kPlace, fmt::format("\"{}\" is not of the form axis=ranks, nor auto", item.substr(0, 80)));
  const std::string word = full_word(item.substr(0, equals));
  const std::vector<std::string> known = known_words();
  const std::size_t axes = known.size() - counts().size();
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) throw InputError(kPlace, unknown_word("axis", word, known));
  if (!given.seen.insert(word).second) throw InputError(kPlace, fmt::format("\"{}\" is given twice", word));
  std::string text = item.substr(equals + 1);
  if (const auto by = text.find('x'); word == name(Axis::spatial) && by != std::string::npos) {
    given.request.parallelism[Axis::columns] = axis_size(word, text.substr(by + 1));
    text.resize(by);
  }
  const int size = axis_size(word, text);
  const auto place = static_cast<std::size_t>(found - known.begin());
  if (place < axes)
    given.request.parallelism.sizes[place] = size;
  else
    given.request.*counts()[place - axes].second = size;
}

GivenAxes given_axes(std::string_view text) {
  GivenAxes given;
  if (text.empty() || text == kAutomaticParallelism) return given;
  for (const std::string& item : split(std::string(text), ',')) take_item(item, given);
  if (given.request.micro_batch > 0 && given.request.micro_batches > 0)
    throw InputError(kPlace, fmt::format("micro_batch={} is the samples and micro_batches={} the number of "
                                         "micro-batches: one of them says the other",
                                         given.request.micro_batch, given.request.micro_batches));
  return given;
}

}  // namespace

bool is_parallelism_word(const std::string& word) {
  const std::vector<std::string> known = known_words();
  return std::find(known.begin(), known.end(), full_word(word)) != known.end();
}

void check_parallelism(std::string_view text) { given_axes(text); }

ParallelismRequest parse_parallelism(std::string_view text, int ranks) {
  auto [request, seen] = given_axes(text);
  Parallelism& axes = request.parallelism;
  const bool data_given = seen.contains("data");
  const std::int64_t product = product_of(axes);
  if (!data_given && product <= ranks && ranks % product == 0) {
    axes[Axis::data] = static_cast<int>(ranks / product);
    return request;
  }
  if (product != ranks) {
    const std::string given = axes_text(axes, ",", seen);  // in the words of the question
    const std::string fits = axes_text(nearest_that_fits(axes, ranks, data_given), ",", seen);
    throw Infeasible(fmt::format("{} does not cover the {} accelerators; {} does", given, ranks, fits));
  }
  return request;
}

}  // namespace mlsim::workloads
