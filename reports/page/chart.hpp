// A `PageChart` is drawn from the numbers of one of the page's tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/namespace.hpp"

namespace mlsim::reports {

enum class SeriesStyle { line, dashed, points, marks, bars };  // marks: large hollow points round others

struct ChartSeries {
  std::string name;
  std::size_t y = 0;  // column; rows without a number in it are left out
  SeriesStyle style = SeriesStyle::line;
  std::optional<std::size_t> low = {}, high = {};  // columns of a band round it
};

struct ChartAxis {
  std::string title;
  std::string unit;  // as of a column
  bool logarithmic = false;
};

struct PageChart {
  std::string id;  // unique on its page
  std::string title;
  std::string summary;  // for those who do not see it
  std::string table;    // id of the table it is drawn from
  std::size_t x = 0;    // column; of bars the category, of which any word or number will do
  ChartAxis x_axis, y_axis;
  std::vector<ChartSeries> series;
  std::vector<std::size_t> label = {};  // columns that name a point
  bool named = false;                   // names stand beside the points where they are few
  std::vector<double> ratios = {};      // lines y = ratio * x, dashed
  bool lying = false;                   // bars go to the right
};

}  // namespace mlsim::reports
