#include "core/text/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <set>

#include "core/text/code_point.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/text_file.hpp"

namespace mlsim {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string place(const std::string& file, int line) { return fmt::format("{}:{}", file, line); }

constexpr auto kEndsField = [] {
  std::array<bool, 256> ends{};
  for (const char c : {',', '"', '\n', '\r'}) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

void refuse_binary(std::string_view text, const std::string& file) {
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
  });
  if (control == text.end()) return;
  const auto line = 1 + std::count(text.begin(), control, '\n');
  throw InputError(place(file, static_cast<int>(line)), "is not text (a control character); expected a CSV table");
}

void refuse_broken(std::string_view text, const std::string& file) {
  if (const std::size_t broken = first_broken_utf8(text); broken < text.size()) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(broken), '\n');
    throw InputError(place(file, static_cast<int>(line)), "is not UTF-8 text; save the file in that encoding");
  }
}

/// The reader takes records off the front of the text.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool done() const { return at_ == text_.size(); }

  void skip_comments() {
    while (peek() == '#' && !done()) {
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
      ++line_;
    }
  }

  CsvRow record() {
    CsvRow row;
    row.line = line_;
    row.fields.reserve(fields_);
    while (true) {
      row.fields.push_back(peek() == '"' ? quoted() : plain());
      if (done() || end_of_line()) break;
      ++at_;  // the comma
    }
    fields_ = row.fields.size();
    return row;
  }

 private:
  char peek() const { return done() ? '\n' : text_[at_]; }

  bool end_of_line() {
    if (peek() == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    if (peek() != '\n') return false;
    ++at_;
    ++line_;
    return true;
  }

  std::string plain() {
    std::size_t end = at_;
    while (end < text_.size() && !kEndsField[static_cast<unsigned char>(text_[end])]) ++end;
    if (end < text_.size() && text_[end] == '"')
      throw InputError(place(file_, line_), "a quote stands inside a field; quote the whole field and double it");
    if (end < text_.size() && text_[end] == '\r' && text_.substr(end, 2) != "\r\n")
      throw InputError(place(file_, line_), "a carriage return stands inside a line");
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }

  std::string quoted() {
    const int opened = line_;
    std::string field;
    for (++at_;;) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos)
        throw InputError(place(file_, opened), "a quoted field is never closed; is the file cut off?");
      const std::string_view words = text_.substr(at_, quote - at_);
      line_ += static_cast<int>(std::count(words.begin(), words.end(), '\n'));
      field += words;
      at_ = quote + 1;
      if (peek() != '"' || done()) break;
      field += '"';
      ++at_;
    }
    if (peek() != ',' && peek() != '\n' && text_.substr(at_, 2) != "\r\n")
      throw InputError(place(file_, line_), "text follows a closing quote; expected a comma");
    return field;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t fields_ = 0;  // of the record before
  int line_ = 1;
};

void check_header(const CsvTable& table, int line) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    const std::string& name = table.header[i];
    if (name.empty())
      throw InputError(place(table.file, line), fmt::format("column {} of the header has no name", i + 1));
    if (!seen.insert(name).second)
      throw InputError(place(table.file, line), fmt::format("column {} stands twice", in_quotes(name)));
  }
}

// Names and words of others' files may begin so; signed figures ("-3 %") do, too.
bool is_formula(const std::string& text) {
  if (text.empty() || std::string_view("=@+-\t\r").find(text.front()) == std::string_view::npos) return false;
  char* behind = nullptr;
  std::strtod(text.c_str(), &behind);
  const std::string_view rest = behind;
  const bool figure = behind != text.c_str() && rest.find_first_not_of(" %") == std::string_view::npos;
  return !figure && text != "-";
}

}  // namespace

std::string csv_field(const std::string& text) {
  const std::string plain = (is_formula(text) ? "'" : "") + text;
  if (plain.find_first_of(",\"\r\n") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

CsvTable parse_csv(std::string_view text, const std::string& file) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  refuse_binary(text, file);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw InputError(place(file, 1), "is empty; expected a CSV table with a header");
  CsvTable table;
  table.file = file;
  Reader reader(text, table.file);
  reader.skip_comments();
  if (reader.done()) throw InputError(place(file, 1), "holds comments only; expected a CSV table with a header");
  const CsvRow header = reader.record();
  table.header = header.fields;
  check_header(table, header.line);
  while (!reader.done()) {
    CsvRow row = reader.record();
    if (row.fields.size() == 1 && row.fields[0].empty()) continue;
    if (row.fields.size() != table.header.size())
      throw InputError(place(file, row.line),
                       fmt::format("has {} fields where the header has {}{}", row.fields.size(), table.header.size(),
                                   reader.done() ? "; is the file cut off?" : ""));
    table.rows.push_back(std::move(row));
  }
  return table;
}

CsvTable load_csv(const std::string& path) {
  const std::string text = read_text_file(path);
  refuse_broken(text, path);
  return parse_csv(text, path);
}

}  // namespace mlsim
