#include "workloads/lowering/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::workloads {
namespace {

constexpr auto kPlace = "--parallelism";
constexpr auto kMicroBatches = "micro_batches";
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

const Words<Axis>& words(Axis) {
  static const Words<Axis> table{"axis",
                                 {"data", "normalization", "spatial", "expert", "embedding", "tensor", "pipeline"}};
  return table;
}

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

std::string to_text(const Parallelism& parallelism) {
  std::string text;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (parallelism.sizes[i] > 1)
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", names<Axis>()[i], parallelism.sizes[i]);
  }
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

// Reads "pipeline=8" into the axes given.
void take_item(const std::string& item, GivenAxes& given) {
  const auto equals = item.find('=');
  if (equals == std::string::npos)
    throw InputError(kPlace, fmt::format("\"{}\" is not of the form axis=ranks", item.substr(0, 80)));
  const std::string word = item.substr(0, equals);
  std::vector<std::string> known = names<Axis>();
  known.emplace_back(kMicroBatches);
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) throw InputError(kPlace, unknown_word("axis", word, known));
  if (!given.seen.insert(word).second) throw InputError(kPlace, fmt::format("\"{}\" is given twice", word));
  int size = 0;
  try {
    size = parse_count(item.substr(equals + 1));
  } catch (const InputError& e) {
    throw InputError(kPlace, e.reason());
  }
  if (size > kMostRanks) throw InputError(kPlace, fmt::format("{} is at most {}, not {}", word, kMostRanks, size));
  (word == kMicroBatches ? given.request.micro_batches : given.request.parallelism.sizes[found - known.begin()]) = size;
}

GivenAxes given_axes(std::string_view text) {
  GivenAxes given;
  if (text.empty()) return given;
  for (const std::string& item : split(std::string(text), ',')) take_item(item, given);
  return given;
}

}  // namespace

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
    std::string given;  // in the words of the question
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (seen.contains(names<Axis>()[i]))
        given += fmt::format("{}{}={}", given.empty() ? "" : ",", names<Axis>()[i], axes.sizes[i]);
    }
    std::string fits;
    const Parallelism nearest = nearest_that_fits(axes, ranks, data_given);
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (nearest.sizes[i] > 1 || seen.contains(names<Axis>()[i]))
        fits += fmt::format("{}{}={}", fits.empty() ? "" : ",", names<Axis>()[i], nearest.sizes[i]);
    }
    throw Infeasible(fmt::format("{} does not cover the {} accelerators; {} does", given, ranks, fits));
  }
  return request;
}

}  // namespace mlsim::workloads
