#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

TableCell error_cell(bool known, double share) { return known ? TableCell(share_text(share), share) : TableCell("-"); }

void add_errors(Table& table, const BenchmarkErrors& errors) {
  for (const LeaveOut how : kLeaveOuts) {
    const LeftOutErrors& left = errors.by(how);
    const bool first = how == kLeaveOuts.front(), any = left.error.count > 0;
    table.rows.push_back({first ? errors.benchmark : "", first ? count_cell(errors.results) : TableCell{}, name(how),
                          error_cell(any, left.error.median), error_cell(any, left.error.p90),
                          error_cell(any, left.error.max), error_cell(any, left.coverage),
                          count_cell(left.unanswered)});
  }
}

std::string score_sentence(const TransferScore& score) {
  if (score.error.count == 0) return score.name + ": no runs";
  return fmt::format("{}: {} runs, median {}, P90 {}, largest {}, bias {}; one sigma {:.2f}", score.name,
                     score.error.count, share_text(score.error.median), share_text(score.error.p90),
                     share_text(score.error.max), signed_share_text(score.error.bias), score.log_rms);
}

PageList missed_list(const std::vector<std::string>& misses) {
  PageList list{{}, true};
  for (const std::string& miss : misses) list.items.push_back("missed: " + miss);
  return list;
}

}  // namespace

Page convergence_page(const ConvergenceErrors& errors) {
  Table table{"convergence",
              "Errors of epochs to target",
              {name_column("benchmark"),
               {"results", "1"},
               name_column("left out"),
               {"median", "share"},
               {"P90", "share"},
               {"max", "share"},
               {"held", "share"},
               {"unanswered", "1"}}};
  for (const BenchmarkErrors& benchmark : errors.benchmarks) add_errors(table, benchmark);
  add_errors(table, errors.all);
  Page page{
      "Epochs to target of published results, each left out and predicted from the rest of its recipe", {}, {}, ""};
  page.add({PageTable{std::move(table)}});
  page.add(
      {PageText{"left out: the result alone, all of its batch, all of its submitter. held: 90 % intervals that held "
                "the published "
                "mean. unanswered: nothing near enough was left."}});
  if (const auto missed = misses(errors); !missed.empty()) page.add({missed_list(missed)});
  return page;
}

Page transfer_page(const TransferErrors& errors) {
  Table table{"transfer",
              "Throughput by kernels of another accelerator",
              {name_column("from"),
               name_column("to"),
               {"published", "samples/s"},
               {"predicted", "samples/s"},
               {"error", "share"},
               {"run"}}};
  for (const TransferCheck& c : errors.checks)
    table.rows.push_back({c.from,
                          c.to,
                          {fmt::format("{:.4g}", c.published), c.published},
                          {fmt::format("{:.4g}", c.predicted), c.predicted},
                          {signed_share_text(c.error()), c.error()},
                          c.target_id});
  Page page{"Throughput of one accelerator from kernels measured on another, against what was published", {}, {}, ""};
  page.add({PageTable{std::move(table)}});
  std::vector<PageBlock> scores;
  for (const TransferScore& pair : errors.pairs) scores.emplace_back(PageText{score_sentence(pair)});
  scores.emplace_back(PageText{score_sentence(errors.all)});
  page.add(std::move(scores));
  if (const auto missed = misses(errors); !missed.empty()) page.add({missed_list(missed)});
  return page;
}

}  // namespace mlsim::reports
