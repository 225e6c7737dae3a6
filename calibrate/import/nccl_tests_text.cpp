#include "calibrate/import/nccl_tests_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "calibrate/import/nccl_tests_words.hpp"
#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim::calibrate {
namespace {

/// Where a row's words stand, from the line of names: "size count type redop [root] time algbw busbw #wrong time ...".
struct Columns {
  std::size_t type = 0, time = 0, algorithm = 0, bus = 0, wrong = 0;  // columns of the buffers asked for
  std::size_t other_wrong = 0;
  std::size_t count = 0;
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
  return {2, mine, mine + 1, mine + 2, mine + 3, other + 3, names.size()};
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
    } else if (line.find("Avg bus bandwidth") != std::string::npos && columns_) {
      end_run();
    } else if (columns_) {
      take_row(line);
    } else {
      take_header(line);
    }
  }

  void take_header(const std::string& line) {
    static const std::regex rank(
        R"(#?\s*Rank\s+(\d{1,7})\s+(?:Group\s+(\d{1,7})\s+)?(?:Pid\s+\d+\s+)?on\s+(\S+)\s+device.*)");
    static const std::regex iterations(R"(.*warmup iters: \d+ iters: (\d{1,9}) .*)");
    static const std::regex version(R"(# nccl-tests version (\S+) .*)");
    static const std::regex own(R"(# mlsim calibrate: \S+ by (\S+) on (\S+), .*)");  // mlsim's table of any library
    std::smatch match;
    if (std::regex_match(line, match, rank)) {
      ranks_.push_back({std::stoi(match[1]), match[2].matched ? std::stoi(match[2]) : 0, match[3]});
    } else if (std::regex_match(line, match, iterations)) {
      iterations_ = std::stoi(match[1]);
    } else if (std::regex_match(line, match, version)) {
      version_ = " " + match[1].str();
    } else if (std::regex_match(line, match, own)) {
      library_ = match[1];
      device_ = match[2];
    }
  }

  // Lines of NCCL_DEBUG and of mpirun stand between rows; only a row begins with a whole number.
  void take_row(const std::string& line) {
    const auto words = words_of(line);
    if (words.empty() || !is_whole_number(words.front())) return;
    if (words.size() < columns_->count)
      throw InputError(place(), fmt::format("has {} of the {} columns: the file was cut off, or lines were mixed up",
                                            words.size(), columns_->count));
    if (!is_whole_number(words[1])) throw InputError(place(), fmt::format("count is \"{}\"", words[1]));
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
    if (figure(wrong, "#wrong", place()) != 0)
      throw InputError(place(),
                       fmt::format("{} elements of the result are wrong; such times are worth nothing", wrong));
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
    run_.communicator = library_;
    run_.device = device_;
    run_.remark =
        fmt::format("version{}{}", version_.empty() ? " not said" : version_, hints_.in_place ? "" : ", out of place");
    runs_.push_back(std::move(run_));
    run_ = {};
    columns_.reset();
    ranks_.clear();
    bandwidths_.clear();
    library_ = "nccl";
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
  std::string program_, version_, library_ = "nccl", device_ = "cuda";
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
