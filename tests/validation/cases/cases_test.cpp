#include "validation/cases/cases.hpp"

#include <map>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHeader =
    "id,publisher,source,topology,accelerators,workload,precision,global_batch,options,metric,value,unit,relative_"
    "uncertainty,"
    "role,citation\n";

// One good row by column, with some fields changed.
std::string row(const std::map<std::string, std::string>& changes = {}) {
  const std::map<std::string, std::string> good{{"id", "case-1"},
                                                {"publisher", "somebody"},
                                                {"source", "Test"},
                                                {"topology", "dgx2"},
                                                {"accelerators", "16"},
                                                {"workload", "resnet50"},
                                                {"precision", "fp16"},
                                                {"global_batch", "4096"},
                                                {"options", "stack=mlperf-v0.5;data=real"},
                                                {"metric", "throughput"},
                                                {"value", "19279.12"},
                                                {"unit", "images/s"},
                                                {"relative_uncertainty", "0.01"},
                                                {"role", "check"},
                                                {"citation", "a log"}};
  std::string text;
  for (const std::string& column : case_columns()) {
    const auto changed = changes.find(column);
    text +=
        (column == case_columns().front() ? "" : ",") + (changed == changes.end() ? good.at(column) : changed->second);
  }
  return text + "\n";
}

Case one(const std::map<std::string, std::string>& changes = {}) {
  return parse_cases(kHeader + row(changes), "t.csv").at(0);
}

void refuses(const std::map<std::string, std::string>& changes, const std::string& reason) {
  INFO(reason);
  CHECK_THROWS_WITH(one(changes), ContainsSubstring("t.csv:2") && ContainsSubstring(reason));
  CHECK_THROWS_AS(one(changes), InputError);
}

}  // namespace

TEST_CASE("a row becomes a case in SI units") {
  const Case c = one();
  CHECK(c.id == "case-1");
  CHECK(c.accelerators == 16);
  CHECK(c.precision == Precision::fp16);
  CHECK(*c.global_batch == 4096);
  CHECK(settings_of(c.options) == Settings{{"stack", "mlperf-v0.5"}, {"data", "real"}});
  CHECK(c.metric == Metric::throughput);
  CHECK(c.value == 19279.12);
  CHECK(c.role == Role::check);
  CHECK(c.place == "t.csv:2");
  CHECK(one({{"metric", "time_to_accuracy"}, {"unit", "min"}, {"value", "2"}}).value == 120);
  CHECK(one({{"metric", "step_time"}, {"unit", "ms"}, {"value", "5"}}).value == Approx(0.005));
  CHECK(one({{"metric", "scaling_efficiency"}, {"unit", "percent"}, {"value", "90"}}).value == Approx(0.9));
  CHECK(one({{"metric", "bus_bandwidth"},
             {"unit", "GB/s"},
             {"value", "235"},
             {"workload", "all-reduce"},
             {"options", "payload=1 GiB"},
             {"global_batch", ""}})
            .value == 235e9);
}

TEST_CASE("precision, batch, options and uncertainty of a check may stay empty") {
  const Case c = one({{"precision", ""}, {"global_batch", ""}, {"options", ""}, {"relative_uncertainty", ""}});
  CHECK_FALSE(c.precision);
  CHECK_FALSE(c.global_batch);
  CHECK(settings_of(c.options).empty());
  CHECK(c.relative_uncertainty == 0);
}

TEST_CASE("options take settings, a parallelism and the case it is relative to") {
  const Case c =
      one({{"options", "data=synthetic;parallelism=data=16;relative_to=case-0"}, {"metric", "speedup"}, {"unit", "1"}});
  CHECK(settings_of(c.options) == Settings{{"data", "synthetic"}});
  CHECK(c.parallelism == "data=16");
  CHECK(c.relative_to == "case-0");
}

TEST_CASE("columns may stand in any order") {
  const std::map<std::string, std::string> given{
      {"accelerators", "8"}, {"metric", "throughput"}, {"unit", "images/s"}, {"value", "5"},   {"id", "x"},
      {"publisher", "x"},    {"source", "x"},          {"topology", "x"},    {"workload", "x"}};
  std::string header = "citation,role", fields = "a log,check";
  for (const std::string& column : case_columns()) {
    if (column == "citation" || column == "role") continue;
    header += "," + column;
    fields += "," + (given.contains(column) ? given.at(column) : "");
  }
  CHECK(parse_cases(header + "\n" + fields + "\n", "t.csv").at(0).accelerators == 8);
}

TEST_CASE("a wrong field is refused with file, line, column and the nearest word") {
  refuses({{"metric", "throughputs"}},
          "column \"metric\": unknown metric \"throughputs\"; did you mean \"throughput\"");
  refuses({{"role", "ancor"}}, "column \"role\": unknown role \"ancor\"; did you mean \"anchor\"");
  refuses({{"precision", "fp61"}}, "column \"precision\"");
  refuses({{"unit", "imagess/s"}}, "column \"unit\"");
  refuses({{"metric", "cost"}, {"unit", "EUR"}}, "column \"unit\"");
  refuses({{"accelerators", "16.5"}}, "column \"accelerators\"");
  refuses({{"accelerators", "0"}}, "column \"accelerators\"");
  refuses({{"accelerators", "-4"}}, "column \"accelerators\"");
  refuses({{"accelerators", "99999999999"}}, "column \"accelerators\"");
  refuses({{"value", "abc"}}, "column \"value\"");
  refuses({{"value", "nan"}}, "column \"value\"");
  refuses({{"value", "1e999"}}, "column \"value\"");
  refuses({{"value", "0"}}, "column \"value\": must be above 0");
  refuses({{"value", ""}}, "column \"value\": is empty");
  refuses({{"global_batch", "-1"}}, "column \"global_batch\"");
  refuses({{"relative_uncertainty", "5"}}, "column \"relative_uncertainty\"");
  refuses({{"id", ""}}, "column \"id\": is empty");
  refuses({{"citation", ""}}, "column \"citation\": is empty");
}

TEST_CASE("wrong options are refused") {
  refuses({{"options", "stak=mlperf-v0.5"}}, "did you mean \"stack\"");
  refuses({{"options", "data=reel"}}, "column \"options\"");
  refuses({{"options", "data"}}, "column \"options\"");
  refuses({{"options", "relative_to=a"}}, "\"relative_to\" has no meaning for throughput");
  refuses({{"options", "relative_to=a;relative_to=b"}, {"metric", "speedup"}, {"unit", "1"}}, "given twice");
  refuses({{"options", "relative_to="}, {"metric", "speedup"}, {"unit", "1"}}, "needs a value");
  refuses({{"metric", "price_ratio"}, {"unit", "1"}}, "needs relative_to");
}

TEST_CASE("an anchor states throughput or step time with precision and batch") {
  refuses({{"role", "anchor"}, {"metric", "cost"}, {"unit", "USD"}}, "an anchor states throughput or step_time");
  refuses({{"role", "anchor"}, {"precision", ""}}, "column \"precision\"");
  refuses({{"role", "anchor"}, {"global_batch", ""}}, "column \"global_batch\"");
}

TEST_CASE("a case with a payload is one collective by itself") {
  const std::map<std::string, std::string> lone{{"workload", "all-reduce"},
                                                {"metric", "all_reduce_time"},
                                                {"unit", "ms"},
                                                {"value", "5"},
                                                {"global_batch", ""},
                                                {"options", "communicator=nccl;payload=64 MB"}};
  const auto but = [&](const std::string& column, const std::string& text) {
    auto changed = lone;
    changed[column] = text;
    return changed;
  };
  const Case c = one(lone);
  CHECK(*c.payload == Bytes(64e6));
  CHECK(c.value == Approx(0.005));
  CHECK(settings_of(c.options) == Settings{{"communicator", "nccl"}});
  auto bus = but("metric", "bus_bandwidth");
  bus["unit"] = "GB/s";
  bus["workload"] = "all-gather";
  CHECK(one(bus).value == 5e9);
  refuses(but("options", "communicator=nccl"), "needs payload=SIZE");
  refuses(but("options", "payload=64"), "column \"options\"");
  refuses(but("options", "payload=0 B"), "at least 1 B");
  refuses(but("options", "payload=1 MB;parallelism=data=16"), "\"parallelism\" has no meaning");
  refuses(but("workload", "resnet50"), "column \"workload\"");
  refuses(but("workload", "all-redcue"), "did you mean \"all-reduce\"");
  refuses(but("workload", "all-to-all"), "is all-to-all, but all_reduce_time is of all-reduce");
  refuses(but("global_batch", "64"), "column \"global_batch\"");
  refuses({{"options", "payload=1 MB"}}, "\"payload\" has no meaning for throughput");
}

TEST_CASE("an input is any figure that a constant was derived from") {
  CHECK(one({{"role", "input"}, {"metric", "cost"}, {"unit", "USD"}}).role == Role::input);
  CHECK(anchors_from({one({{"role", "input"}})}).empty());
}

TEST_CASE("a case that is relative to itself is the reference of others") {
  const std::map<std::string, std::string> reference{{"options", "relative_to=case-1"},
                                                     {"metric", "relative_throughput"},
                                                     {"unit", "x"},
                                                     {"value", "1"},
                                                     {"role", "input"}};
  CHECK(one(reference).relative_to == "case-1");
  auto scored = reference;
  scored["role"] = "check";
  refuses(scored, "its role is input");
  auto off = reference;
  off["value"] = "2";
  refuses(off, "its value 1");
  refuses({{"metric", "relative_throughput"}, {"unit", "x"}}, "a relative_throughput needs relative_to");
  refuses({{"metric", "all_to_all_growth"}, {"unit", "x"}}, "an all_to_all_growth needs relative_to");
  refuses({{"metric", "communication_share"}, {"unit", "fraction"}, {"options", "relative_to=a"}},
          "no meaning for communication_share");
}

TEST_CASE("a table names its publisher, and one without such a column is its source's") {
  CHECK(one().publisher == "somebody");
  refuses({{"publisher", ""}}, "column \"publisher\": is empty");
  std::string header = kHeader, text = row();
  header.erase(header.find("publisher,"), std::string("publisher,").size());
  text.erase(text.find("somebody,"), std::string("somebody,").size());
  CHECK(parse_cases(header + text, "t.csv").at(0).publisher == "Test");
}

TEST_CASE("unknown, missing and doubled columns and ids are refused") {
  CHECK_THROWS_WITH(parse_cases("id,sauce\n1,2\n", "t.csv"),
                    ContainsSubstring("t.csv:1") && ContainsSubstring("did you mean \"source\""));
  CHECK_THROWS_WITH(parse_cases("id,source\n1,2\n", "t.csv"), ContainsSubstring("lacks the column \"topology\""));
  CHECK_THROWS_WITH(parse_cases(kHeader + row() + row(), "t.csv"),
                    ContainsSubstring("t.csv:3") && ContainsSubstring("first at t.csv:2"));
  CHECK_THROWS_WITH(parse_cases(kHeader, "t.csv"), ContainsSubstring("no cases"));
  CHECK_THROWS_WITH(parse_cases(kHeader + "case-1,Test,dgx2,1", "t.csv"), ContainsSubstring("cut off"));
}

TEST_CASE("anchors carry their speed, settings and source") {
  const auto cases =
      parse_cases(kHeader + row({{"role", "anchor"}}) + row({{"id", "b"}}) +
                      row({{"id", "c"}, {"role", "anchor"}, {"metric", "step_time"}, {"value", "2"}, {"unit", "s"}}),
                  "t.csv");
  const auto anchors = anchors_from(cases);
  REQUIRE(anchors.size() == 2);
  CHECK(anchors[0].throughput.value == 19279.12);
  CHECK(anchors[0].options.software.stack == "mlperf-v0.5");
  CHECK(anchors[0].source.source == "Test: a log");
  CHECK(anchors[0].source.provenance == Provenance::published);
  CHECK(anchors[1].throughput.value == 2048);
}

TEST_CASE("the built-in tables are whole: unique ids, sane sizes, a citation on every row") {
  const auto& cases = published_cases();
  CHECK(cases.size() >= 246);
  std::set<std::string> ids;
  for (const Case& c : cases) {
    INFO(c.id);
    CHECK(ids.insert(c.id).second);
    CHECK(c.accelerators <= 20000);  // MLPerf v4.0: 11,616
    CHECK(c.citation.size() > 10);
    if (c.payload || c.source.starts_with("Trainings ")) continue;  // a training is asked by its length
    REQUIRE(c.global_batch.has_value());
    // Whose software no profile knows, or whose rows are predicted without an anchor.
    const bool left_open = c.source.starts_with("Lambda ") || c.source.starts_with("GPT") ||
                           c.source.starts_with("Llama") || c.source.starts_with("MLPerf v5.1 ");
    // One whose rate is given need not say how, one of v5.1 leaves its layout to mlsim.
    const bool splits_model =
        left_open || c.options.job.throughput || c.parallelism.find("pipeline=") != std::string::npos ||
        c.parallelism.find("tensor=") != std::string::npos || c.parallelism.find("context=") != std::string::npos;
    CHECK(*c.global_batch >= (splits_model ? 1 : c.accelerators));
    CHECK((left_open || !c.options.software.stack.empty()));
  }
}

TEST_CASE("built-in anchors are the smallest systems of a family, few of them large") {
  const std::vector<Case> cases = published_cases();
  const auto smaller_is_published = [&](const Case& than) {
    return std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
      return c.source == than.source && c.workload == than.workload && c.accelerators < than.accelerators;
    });
  };
  int large = 0;
  for (const Case& c : cases) {
    if (c.role != Role::anchor || c.metric != Metric::throughput) continue;
    INFO(c.id);
    CHECK(c.accelerators <= 512);
    large += c.accelerators > 64 && smaller_is_published(c) ? 1 : 0;
  }
  CHECK(large <= 2);
}

TEST_CASE("anchors that are read network by network are those of all rows, in their order") {
  const Evidence by_network = published_anchors();
  const std::vector<ParsedAnchor> all = anchors_from(published_cases());
  const auto bert = by_network.of_network("bert-large");
  REQUIRE(by_network.size() == all.size());
  CHECK(bert.size() > 100);
  for (const Evidence::Run& each : bert) CHECK(each.run.id == all[each.place].id);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(by_network[i].id == all[i].id);
    CHECK(by_network[i].options == all[i].options);
    CHECK(by_network[i].kernel_speed == all[i].kernel_speed);
  }
}

TEST_CASE("the rows of one network on one system are those of all rows") {
  const std::string network = "llama-3-8b", system = "dgx-h100";
  const std::vector<Case> found =
      published_cases_of(network, [&](const std::string&, const std::string& topology) { return topology == system; });
  CHECK_FALSE(found.empty());
  auto next = found.begin();
  for (const Case& c : published_cases()) {
    if (network_name(c.workload) != network || c.topology != system) continue;
    REQUIRE(next != found.end());
    CHECK(next->workload == c.workload);
    CHECK(next++->place == c.place);
  }
  CHECK(next == found.end());
}
