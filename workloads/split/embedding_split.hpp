// Embedding model parallelism places the tables of embedding bags on ranks, the rest of the model on all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/words.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// A TableCut says how tables are cut (Naumov et al., arXiv:2003.09518; Mudigere et al., arXiv:2104.05158):
///   table      not at all: each lies on one rank
///   column     into equal numbers of columns, the fewest that leave no rank without a piece
///   row        into rows: each rank has a part of every table
///   automatic  as `table`, or as `column` where there are more ranks than tables; a table that no rank has room for
///              as `row`
enum class TableCut : std::uint8_t { automatic, table, column, row };
inline Words<TableCut> words(TableCut) { return {"cut of tables", {"automatic", "table", "column", "row"}}; }

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

/// Puts the tables of an embedding bag on ranks, the largest piece first: on the rank with the fewest look-ups so far,
/// of those the one with the fewest parameters, of those that have room. Throws Infeasible where ranks would stay empty
/// or a piece finds no room.
PlacedTables place_tables(const Layer& bag, int ranks, const TablePlacement& placement);

/// Spreads the tables of embedding bags over the ranks of Axis::embedding; all else stays as it is, with other samples
/// on every rank. Row numbers travel to the tables by an all-to-all, rows back by another and their gradients by a
/// third (Naumov et al., arXiv:1906.00091); of tables cut by rows partial bags by a reduce-scatter and gradients by an
/// all-gather. Payloads are those of the rank with the most look-ups, `load` is that rank's work over the mean, and the
/// layer has the tables of the rank with the most parameters.
///
/// Throws InputError where `ranks` is below 1 and Infeasible where the model has no embedding bag, and as place_tables.
ShardedModel split_embeddings(ShardedModel sharded, int ranks, const TablePlacement& placement = {});

}  // namespace mlsim::workloads
