// `mlsim validate sources` asks for every figure of the documents that mlsim starts from, by commands as people type
// them.
#include "calibrate/builtin_profiles.hpp"
#include "cli/output/result_capture.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/program.hpp"
#include "cli/validate/validate_options.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "studies/sources/source_score.hpp"

namespace mlsim::cli {
namespace {

std::string answer(const std::vector<std::string>& words) {
  const ResultCapture result;
  run_program(words);
  return result.text();
}

}  // namespace

int validate_sources(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json", "markdown"});
  const std::vector<ItemScore> items = score_sources(source_figures(), answer);
  if (options.format == "json") {
    write_result(options.output, to_json(items));
    return kDoneCode;
  }
  const Page page = sources_page(items, calibrate::builtin_profiles());
  write_result(options.output, options.format == "markdown" ? page_markdown(page) : terminal_text(page));
  return kDoneCode;
}

}  // namespace mlsim::cli
