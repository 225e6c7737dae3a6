// place_tables() puts the tables of an embedding bag on ranks: the largest first, on the rank with the least to do.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/words.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// A TableCut says how tables are cut (Naumov et al., arXiv:2003.09518; Mudigere et al., arXiv:2104.05158):
///   table      not at all: each lies on one rank
///   column     into equal numbers of columns, the fewest that leave no rank without a piece
///   row        into rows: each rank has a part of every table
///   automatic  as `table`, or as `column` where there are more ranks than tables; a table that no rank has room for
///              as `row`
enum class TableCut : std::uint8_t { automatic, table, column, row };
const Words<TableCut>& words(TableCut);

struct TablePlacement {
  TableCut cut = TableCut::automatic;
  std::int64_t most_parameters = 0;  // of tables on one rank; 0: no limit
};

/// PlacedTables are what the ranks of an axis hold of the tables of one embedding bag.
struct PlacedTables {
  struct Rank {
    std::vector<std::int64_t> rows;  // of its pieces, one of w of W columns counted as rows x w / W, rounded up
    double look_ups = 0;             // rows of W columns that one sample, of whichever rank, reads here
    std::int64_t parameters = 0;
  };
  std::vector<Rank> ranks;
  int tables_by_row = 0;  // of which every rank has a part
  int pieces = 1;         // of each other table

  double busiest() const;       // the most look-ups of a rank
  const Rank& fullest() const;  // the rank with the most parameters
};

/// Places the largest piece first: on the rank with the fewest look-ups so far, of those the one with the fewest
/// parameters, of those that have room. Throws Infeasible where ranks would stay empty or a piece finds no room.
PlacedTables place_tables(const Layer& bag, int ranks, const TablePlacement& placement);

}  // namespace mlsim::workloads
