#include "calibrate/import/benchmark_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "calibrate/import/nccl_tests_words.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {
namespace {

/// A row's words stand as the line of names says: "size count type redop [root] time algbw busbw #wrong time ...".
struct Columns {
  std::size_t type = 0, time = 0, algorithm = 0, bus = 0, wrong = 0;  // columns of the buffers asked for
  std::size_t other_wrong = 0;
  std::size_t count = 0;
  bool counts_wrong = true;  // before 2.13 the last column was "error", the largest relative one
};

std::vector<std::string> names_of(const std::string& line) {
  auto words = words_of(line);
  if (!words.empty() && words.front() == "#") words.erase(words.begin());
  return words;
}

bool is_column_line(const std::string& line) {
  const auto names = names_of(line);
  return names.size() >= 10 && names[0] == "size" && names[1] == "count" && names[2] == "type";
}

Columns columns_of(const std::string& line, bool in_place, const std::string& place) {
  auto names = names_of(line);
  if (names.back() == "timestamp") names.pop_back();  // two words in a row
  std::vector<std::size_t> times;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == "time" || names[i] == "cputime") times.push_back(i);
  if (times.size() != 2 || times[1] + 3 >= names.size())
    throw InputError(place, "has not the columns time, algbw, busbw and #wrong twice, as nccl-tests prints them");
  const std::size_t mine = times[in_place ? 1 : 0], other = times[in_place ? 0 : 1];
  return {2, mine, mine + 1, mine + 2, mine + 3, other + 3, names.size(), names[mine + 3] != "error"};
}

// Returns the number that the word is, of up to nine digits; -1 where it is none.
int small_number(std::string_view word) {
  int number = -1;
  if (is_whole_number(word) && word.size() <= 9) std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

// The line reads "#  Rank  0 Group  0 Pid   1234 on   hostA device  0 ..."; older versions name no group.
std::optional<ListedRank> listed_rank(std::string_view line) {
  take(line, "#");
  if (const auto begin = line.find_first_not_of(" \t"); !line.substr(std::min(begin, line.size())).starts_with("Rank"))
    return std::nullopt;
  const auto words = words_of(line);
  std::size_t at = 0;
  const auto number_after = [&](std::string_view name) {
    if (at + 1 >= words.size() || words[at] != name) return -1;
    const int number = small_number(words[at + 1]);
    if (number >= 0) at += 2;
    return number;
  };
  const int rank = number_after("Rank");
  const int group = number_after("Group");
  number_after("Pid");
  const bool placed = at + 2 < words.size() && words[at] == "on" && words[at + 2].starts_with("device");
  if (rank < 0 || !placed) return std::nullopt;
  const std::size_t bus = line.find("] ");  // behind "device  0 [0x07]"
  return ListedRank{rank, std::max(group, 0), words[at + 1],
                    bus == std::string_view::npos ? "" : std::string(line.substr(bus + 2))};
}

// The line reads "... warmup iters: 5 iters: 20 agg iters: 1 ..."; returns 0 where it does not say.
int iterations_in(std::string_view line) {
  constexpr std::string_view kWarmup = "warmup iters: ";
  const auto begin = line.find(kWarmup);
  if (begin == std::string_view::npos) return 0;
  line.remove_prefix(begin + kWarmup.size());
  if (take_digits(line).empty() || !take(line, " iters: ")) return 0;
  return std::max(0, small_number(take_digits(line)));
}

/// Reads line by line; a run begins with the columns' names and ends with the average bus bandwidth.
class Reader {
 public:
  Reader(const LinedText& text, const ImportHints& hints) : text_(text), hints_(hints) {}

  std::vector<BenchmarkRun> runs() {
    for (index_ = 0; index_ < text_.lines.size(); ++index_) take(text_.lines[index_]);
    if (columns_) throw cut_off();
    if (runs_.empty()) throw InputError(text_.path, "holds no row of a table");
    return std::move(runs_);
  }

 private:
  void take(const std::string& line) {
    if (const auto program = program_in(line); !program.empty()) program_ = program;
    if (is_column_line(line)) {
      if (columns_ && !run_.rows.empty()) throw cut_off();
      columns_ = columns_of(line, hints_.in_place, place());
      begin_ = index_;
    } else if (line.find("Out of bounds values") != std::string::npos && columns_) {
      check_bounds(words_of(line));
    } else if (line.find("Avg bus bandwidth") != std::string::npos && columns_) {
      end_run();
    } else if (columns_) {
      take_row(line);
    } else {
      take_header(line);
    }
  }

  void take_header(const std::string& line) {
    if (const auto rank = listed_rank(line)) {
      ranks_.push_back(*rank);
    } else if (const int iterations = iterations_in(line); iterations > 0) {
      iterations_ = iterations;
    } else if (line.starts_with("rccl-tests") || line.starts_with("# rccl-tests")) {
      library_ = "rccl";
    } else if (const auto words = words_of(line); line.starts_with("# nccl-tests version ") && words.size() > 4) {
      version_ = " " + words[3];
    } else if (line.starts_with("# mlsim calibrate: ") && words.size() > 8 && words[4] == "by" && words[6] == "on" &&
               words[7].ends_with(',')) {  // mlsim's table of any library: "# mlsim calibrate: WHAT by mpi on cpu, ..."
      library_ = words[5];
      device_ = words[7].substr(0, words[7].size() - 1);
    }
  }

  // Lines of NCCL_DEBUG and of mpirun stand between rows; only a row begins with a whole number.
  void take_row(const std::string& line) {
    const auto words = words_of(line);
    if (words.empty() || !is_whole_number(words.front())) return;
    if (words.size() < columns_->count)
      throw InputError(place(), fmt::format("has {} of the {} columns: the file was cut off, or lines were mixed up",
                                            words.size(), columns_->count));
    if (!is_whole_number(words[1]))
      throw InputError(place(), fmt::format("count is {}, which is no whole number", in_quotes(words[1])));
    BenchmarkRow row;
    row.payload = byte_count(words[0], place());
    row.precision = precision_of(words[columns_->type], hints_, place());
    row.repetitions = iterations_;
    for (const auto at : {columns_->wrong, columns_->other_wrong}) check_results(words[at]);
    const double algorithm = figure(words[columns_->algorithm], "algbw", place());
    const double bus = figure(words[columns_->bus], "busbw", place());
    bandwidths_.push_back({index_, algorithm, bus});
    row.time = microseconds(row.payload.value > 0 ? figure_above_zero(words[columns_->time], "time", place())
                                                  : figure(words[columns_->time], "time", place()));
    run_.rows.push_back(row);
  }

  void check_results(const std::string& wrong) const {
    if (wrong == "N/A") return;  // not checked
    if (figure(wrong, "#wrong", place()) != 0 && columns_->counts_wrong)
      throw InputError(place(),
                       fmt::format("{} elements of the result are wrong; such times are worth nothing", wrong));
  }

  // The line reads "# Out of bounds values : 0 OK".
  void check_bounds(const std::vector<std::string>& words) const {
    const auto colon = std::find(words.begin(), words.end(), ":");
    if (colon == words.end() || colon + 1 == words.end() || small_number(*(colon + 1)) <= 0) return;
    throw InputError(place(), fmt::format("{} results are out of bounds; such times are worth nothing", *(colon + 1)));
  }

  void end_run() {
    if (run_.rows.empty()) throw InputError(text_.place(begin_), "this table holds no rows");
    run_.kind = kind_of(program_, hints_, text_.place(begin_));
    const BenchmarkLayout layout = layout_of(ranks_, 1, hints_, text_.path);
    run_.nodes = layout.nodes;
    run_.ranks_per_node = layout.ranks_per_node;
    run_.hosts = hosts_of(ranks_);
    for (const auto& row : bandwidths_)
      check_bandwidths(row.algorithm, row.bus, run_.kind, layout.ranks(), text_.place(row.line));
    run_.benchmark = fmt::format("nccl-tests {}{}", name(run_.kind), hints_.in_place ? " in place" : "");
    if (!ranks_.empty()) run_.hardware = ranks_.front().device;
    run_.communicator = library_.empty() ? library_on(run_.hardware) : library_;
    run_.device = device_;
    run_.remark =
        fmt::format("version{}{}", version_.empty() ? " not said" : version_, hints_.in_place ? "" : ", out of place");
    runs_.push_back(std::move(run_));
    run_ = {};
    columns_.reset();
    ranks_.clear();
    bandwidths_.clear();
    library_.clear();
    device_ = "cuda";
    iterations_ = 1;
  }

  InputError cut_off() const {
    return {text_.place(begin_), "this table ends without \"# Avg bus bandwidth\": the run or the file was cut off"};
  }
  std::string place() const { return text_.place(index_); }

  struct Bandwidths {
    std::size_t line;
    double algorithm, bus;
  };

  const LinedText& text_;
  const ImportHints& hints_;
  std::size_t index_ = 0, begin_ = 0;
  std::string program_, version_, device_ = "cuda";
  std::string library_;  // empty: that of the devices
  int iterations_ = 1;
  std::vector<ListedRank> ranks_;
  std::optional<Columns> columns_;
  std::vector<Bandwidths> bandwidths_;
  BenchmarkRun run_;
  std::vector<BenchmarkRun> runs_;
};

}  // namespace

bool is_nccl_tests_text(const LinedText& text) {
  return std::any_of(text.lines.begin(), text.lines.end(), is_column_line);
}

std::vector<BenchmarkRun> nccl_tests_text_runs(const LinedText& text, const ImportHints& hints) {
  return Reader(text, hints).runs();
}

}  // namespace mlsim::calibrate
