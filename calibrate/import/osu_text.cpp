#include "calibrate/import/benchmark_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "calibrate/import/benchmark_run.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"

namespace mlsim::calibrate {
namespace {

struct Test {
  std::string_view title, program;
  CollectiveKind kind;
  bool size_per_rank = false;  // the size is that of what one rank sends one other
  bool bandwidth = false;
};

constexpr std::array kTests{
    Test{"Latency", "osu_latency", CollectiveKind::send_receive},
    Test{"Bandwidth", "osu_bw", CollectiveKind::send_receive, false, true},
    Test{"Allreduce Latency", "osu_allreduce", CollectiveKind::all_reduce},
    Test{"Reduce_scatter Latency", "osu_reduce_scatter", CollectiveKind::reduce_scatter},
    Test{"Allgather Latency", "osu_allgather", CollectiveKind::all_gather, true},
    Test{"Broadcast Latency", "osu_bcast", CollectiveKind::broadcast},
    Test{"All-to-All Personalized Exchange Latency", "osu_alltoall", CollectiveKind::all_to_all, true},
    Test{"All-to-All Latency", "osu_alltoall", CollectiveKind::all_to_all, true}};

struct Title {
  std::string library, test, version;
};

std::string_view without_blanks(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

// A title reads "# OSU MPI-CUDA Allreduce Latency Test v7.3".
std::optional<Title> title_of(std::string_view line) {
  if (!take(line, "#")) return std::nullopt;
  line = without_blanks(line);
  if (!line.starts_with("OSU MPI")) return std::nullopt;
  line.remove_prefix(4);
  Title title;
  title.library = line.substr(0, line.find(' '));
  line.remove_prefix(title.library.size());
  const auto test = line.rfind(" Test");
  if (!take(line, " ") || test == std::string_view::npos || test < 2) return std::nullopt;
  title.test = line.substr(0, test - 1);
  std::string_view rest = line.substr(test + 4);
  if (rest.empty()) return title;
  if (!take(rest, " ")) return std::nullopt;
  if (rest.size() > 1) take(rest, "v");
  title.version = rest;
  return rest.find(' ') == std::string_view::npos ? std::optional(title) : std::nullopt;
}

// The line reads "# Datatype: MPI_CHAR."; empty where it names none.
std::string datatype_of(std::string_view line) {
  if (!take(line, "#")) return {};
  line = without_blanks(line);
  if (!take(line, "Datatype:")) return {};
  line = without_blanks(line);
  if (line.ends_with('.')) line.remove_suffix(1);
  return std::string(line);
}

// Titles of columns stand two blanks or a tab apart: "Size", "Avg Latency(us)".
std::vector<std::string> titles_in(std::string_view line) {
  std::vector<std::string> titles;
  for (std::size_t begin = 0, at = 0; begin < line.size();) {
    const auto blank = std::min(line.find_first_of(" \t", at), line.size());
    at = std::min(line.find_first_not_of(" \t", blank), line.size());
    if (line.substr(blank, at - blank) == " " && at < line.size()) continue;
    titles.emplace_back(line.substr(begin, blank - begin));
    begin = at;
  }
  return titles;
}

/// The titles place a row's figure: "# Size   Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations".
struct OsuColumns {
  std::size_t value = 1, iterations = 0, count = 2;  // iterations 0: not printed
  std::string title;
};

OsuColumns osu_columns_of(const std::string& line, bool bandwidth, const std::string& place) {
  const std::vector<std::string> titles = titles_in(std::string_view(line).substr(line.find("Size")));
  OsuColumns columns;
  columns.count = titles.size();
  const auto find = [&](std::string_view what) {
    const auto found = std::find_if(titles.begin(), titles.end(), [&](const auto& t) { return t.starts_with(what); });
    return static_cast<std::size_t>(found - titles.begin()) % titles.size();  // 0, the sizes, where there is none
  };
  columns.iterations = find("Iterations");
  for (const char* title : {"Max Lat", "Avg Lat", "Latency (us)", "Latency(us)"})
    if (columns.value = find(title); columns.value > 0) break;
  if (bandwidth) columns.value = find("Bandwidth");
  if (columns.value == 0) throw InputError(place, "names no latency in us and no bandwidth in MB/s");
  columns.title = titles[columns.value];
  return columns;
}

class OsuReader {
 public:
  OsuReader(const LinedText& text, const ImportHints& hints) : text_(text), hints_(hints) {}

  std::vector<BenchmarkRun> runs() {
    for (index_ = 0; index_ < text_.lines.size(); ++index_) take(text_.lines[index_]);
    if (!text_.ends_with_newline)
      throw InputError(text_.place(text_.lines.size() - 1), "the file ends within a line: it was cut off");
    end_run();
    return std::move(runs_);
  }

 private:
  void take(const std::string& line) {
    if (const auto title = title_of(line)) {
      end_run();
      begin_run(*title);
    } else if (const std::string type = datatype_of(line); !type.empty()) {
      take_type(type);
    } else if (line.starts_with("#") && line.find("Size") != std::string::npos && test_) {
      columns_ = osu_columns_of(line, test_->bandwidth, place());
    } else if (columns_) {
      take_row(line);
    }
  }

  void begin_run(const Title& title) {
    const auto found =
        std::find_if(kTests.begin(), kTests.end(), [&](const Test& test) { return test.title == title.test; });
    if (found == kTests.end()) {
      std::string known;
      for (const auto& test : kTests) known += fmt::format("{}{}", known.empty() ? "" : ", ", test.title);
      throw InputError(place(), fmt::format("mlsim has no use for the OSU {} Test; it imports: {}",
                                            shown_text(title.test, 80), known));
    }
    test_ = &*found;
    if (hints_.kind && *hints_.kind != test_->kind)
      throw InputError(place(), fmt::format("is of {}, not of {} as asked", test_->program, name(*hints_.kind)));
    begin_ = index_;
    run_ = {};
    run_.benchmark = test_->program;
    run_.kind = test_->kind;
    run_.communicator = "mpi";
    run_.device = title.library == "MPI" ? "cpu" : "cuda";  // "MPI-CUDA", "MPI-ROCM": -d
    run_.remark = "version " + (title.version.empty() ? "not said" : title.version);
    const BenchmarkLayout layout = layout_of({}, 1, hints_, place());
    if (test_->kind == CollectiveKind::send_receive && layout.ranks() != 2)
      throw InputError(place(), fmt::format("{} runs on 2 ranks, not on {} nodes of {}", test_->program, layout.nodes,
                                            layout.ranks_per_node));
    run_.nodes = layout.nodes;
    run_.ranks_per_node = layout.ranks_per_node;
    precision_ = hints_.precision.value_or(Precision::fp32);
  }

  // Bytes (MPI_CHAR, which a copy does not look into) count as the precision that the hints say.
  void take_type(const std::string& type) {
    if (type == "MPI_FLOAT" && hints_.precision.value_or(Precision::fp32) != Precision::fp32)
      throw InputError(place(), fmt::format("is of MPI_FLOAT, not of {} as asked", name(*hints_.precision)));
    if (type != "MPI_FLOAT" && type != "MPI_CHAR")
      throw InputError(place(), unknown_word("MPI datatype", type, {"MPI_CHAR", "MPI_FLOAT"}));
    run_.remark += ", " + type;
  }

  void take_row(const std::string& line) {
    const auto words = words_of(line);
    if (words.empty() || !is_whole_number(words.front())) return;
    if (words.size() < columns_->count)
      throw InputError(place(), fmt::format("has {} of the {} columns: the file was cut off, or lines were mixed up",
                                            words.size(), columns_->count));
    const Bytes size = byte_count(words[0], place());
    const double value = figure_above_zero(words[columns_->value], columns_->title, place());
    BenchmarkRow row;
    row.precision = precision_;
    row.payload = size * (test_->size_per_rank ? run_.nodes * run_.ranks_per_node : 1);
    if (test_->bandwidth && row.payload < kLeastOfRate) return;  // 64 messages are on their way at once
    row.time = test_->bandwidth ? Seconds(size.value / (value * 1e6)) : microseconds(value);
    if (columns_->iterations > 0)
      row.repetitions =
          static_cast<int>(std::min(1e9, figure_above_zero(words[columns_->iterations], "Iterations", place())));
    run_.rows.push_back(row);
  }

  void end_run() {
    if (!columns_) {
      if (test_) throw InputError(text_.place(begin_), "this table holds no rows");
      return;
    }
    if (run_.rows.empty())
      throw InputError(text_.place(begin_), test_->bandwidth
                                                ? "osu_bw tells the rates of messages of 1 MiB and more alone, and has "
                                                  "none: give osu_latency's table"
                                                : "this table holds no rows");
    run_.remark += ", " + columns_->title;
    runs_.push_back(std::move(run_));
    columns_.reset();
    test_ = nullptr;
  }

  std::string place() const { return text_.place(index_); }

  const LinedText& text_;
  const ImportHints& hints_;
  std::size_t index_ = 0, begin_ = 0;
  const Test* test_ = nullptr;
  Precision precision_ = Precision::fp32;
  std::optional<OsuColumns> columns_;
  BenchmarkRun run_;
  std::vector<BenchmarkRun> runs_;
};

}  // namespace

bool is_osu_text(const LinedText& text) {
  return std::any_of(text.lines.begin(), text.lines.end(),
                     [](const std::string& line) { return title_of(line).has_value(); });
}

std::vector<BenchmarkRun> osu_text_runs(const LinedText& text, const ImportHints& hints) {
  return OsuReader(text, hints).runs();
}

}  // namespace mlsim::calibrate
