#include "moved_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

namespace mlsim::test {
namespace {

using Figures = std::vector<std::string>;

// Stands between what is the same in alike lines, and the figures in it.
struct Line {
  std::string frame, text;
  Figures figures;
};

// Figures begin a cell, so that "n64" of a name and "2" of "NCCL all-reduce 2 p3dn" are none.
Line line_of(const std::string& text) {
  static const std::regex figure(R"(([|,/] ?)([-+]?\d+(\.\d+)?(e[-+]\d+)?)(?=,| [%|/]|$))");
  Line line{{}, text, {}};
  auto rest = text.cbegin();
  for (std::smatch match; std::regex_search(rest, text.cend(), match, figure); rest = match[0].second) {
    line.frame += match.prefix().str() + match[1].str() + "#";
    line.figures.push_back(match[2]);
  }
  line.frame.append(rest, text.cend());
  return line;
}

bool is_count(const std::string& figure) { return figure.size() < 4 && figure.find_first_of(".e") == figure.npos; }

// 0.1 of "12.8", 10 of "1.824e+04".
double last_digit(const std::string& figure) {
  const auto exponent = figure.find('e');
  const std::string mantissa = figure.substr(0, exponent);
  const auto point = mantissa.find('.');
  const auto decimals = point == mantissa.npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  return std::pow(10, (exponent == figure.npos ? 0 : std::atoi(figure.c_str() + exponent + 1)) - decimals);
}

bool alike(const std::string& one, const std::string& other) {
  if (is_count(one) && is_count(other)) return one == other;
  const double unit = std::min(last_digit(one), last_digit(other));
  return std::abs(std::strtod(one.c_str(), nullptr) - std::strtod(other.c_str(), nullptr)) < 1.5 * unit;
}

bool alike(const Figures& one, const Figures& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const std::string& a, const std::string& b) { return alike(a, b); });
}

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line_of(line));
  return lines;
}

}  // namespace

std::vector<std::string> moved_lines(const std::string& stored, const std::string& now) {
  std::multimap<std::string, Line> unseen;
  for (Line& line : lines_of(now)) unseen.emplace(line.frame, line);
  std::vector<std::string> moved;
  for (const Line& line : lines_of(stored)) {
    const auto [begin, end] = unseen.equal_range(line.frame);
    const auto like = std::find_if(begin, end, [&](const auto& o) { return alike(line.figures, o.second.figures); });
    if (like != end) {
      unseen.erase(like);
    } else {
      moved.push_back("- " + line.text);
    }
  }
  for (const auto& [frame, line] : unseen) moved.push_back("+ " + line.text);
  std::sort(moved.begin(), moved.end(), [](const auto& a, const auto& b) { return a.substr(1) < b.substr(1); });
  return moved;
}

}  // namespace mlsim::test
