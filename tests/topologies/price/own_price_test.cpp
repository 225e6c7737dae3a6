#include "topologies/price/own_price.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/price/prices.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// What the system costs an hour with these prices of the user's own.
double own_per_hour(const std::string& name, const std::vector<std::string>& prices,
                    PriceKind kind = PriceKind::on_demand, int accelerators = 0) {
  PriceQuestion question;
  question.kind = kind;
  for (const auto& price : prices) question.own.push_back(parse_own_price(price));
  const auto price = system_price(build_cluster(name, accelerators), question);
  REQUIRE(price);
  return price->value.value * 3600;
}

std::string complaint_of(const std::string& text) {
  try {
    parse_own_price(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::string file_complaint(const std::string& entry) {
  const ScratchFolder folder;
  const std::string path = folder.file("own.yaml", "prices:\n  - " + entry + "\n");
  try {
    read_own_prices(path);
  } catch (const InputError& e) {
    return std::string(e.what()).substr(folder.path().string().size() + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("a price of a machine is that of a node, by any of its names") {
  for (const std::string price : {"p5=98USD/h", "p5.48xlarge=98 USD/h", "p5=98USD/h/node", "p5=2352 USD/d"})
    CHECK(own_per_hour("p5:nodes=4", {price}) == Approx(4 * 98));
  CHECK(own_per_hour("p5:nodes=4", {"p5=10USD/h/accelerator"}) == Approx(320));
  CHECK(own_per_hour("p5:nodes=4", {"p5=150USD/h/system"}) == Approx(150));
  CHECK(own_per_hour("p5", {"dgx-a100=1USD/h"}) == Approx(55.04));
}

TEST_CASE("a price of a topology with its size is of all of it, and of no other size") {
  CHECK(own_per_hour("p5:nodes=4", {"p5:nodes=4=150USD/h"}) == Approx(150));
  CHECK(own_per_hour("p5:nodes=2", {"p5:nodes=4=150USD/h"}) == Approx(2 * 55.04));
  CHECK(own_per_hour("tpu-v3-32", {"tpu-v3-32=20USD/h"}) == Approx(20));
  CHECK(own_per_hour("tpu-v3-64", {"tpu-v3-32=20USD/h"}) == Approx(64));
  CHECK(own_per_hour("tpu-v3-pod", {"tpu-v3-pod=1USD/h/accelerator"}, PriceKind::on_demand, 64) == Approx(64));
}

TEST_CASE("a price of an accelerator counts in every machine that holds it") {
  CHECK(own_per_hour("dgx-h100:nodes=2", {"h100-sxm5=2.5USD/h"}) == Approx(40));
  CHECK(own_per_hour("dgx-h100:nodes=2", {"h100=2.5USD/h"}) == Approx(40));
  CHECK(own_per_hour("p4d", {"h100=2.5USD/h"}) == Approx(21.957642));
  CHECK(own_per_hour("dgx2", {"v100=1USD/h"}) == Approx(16));  // which has no price of its own
}

TEST_CASE("a price of a resource takes the place of that part of the bill alone") {
  CHECK(own_per_hour("gce-v100", {"gcp-v100=1USD/h"}) == Approx(3.04 + 8));
  CHECK(own_per_hour("gce-v100", {"gcp-v100=1USD/h", "gcp-n1-standard-64=2USD/h"}) == Approx(2 + 8));
}

TEST_CASE("the first price that applies counts, for its own kind") {
  CHECK(own_per_hour("p5", {"p5=90USD/h", "h100=1USD/h"}) == Approx(90));
  CHECK(own_per_hour("p5", {"h100=1USD/h", "p5=90USD/h"}) == Approx(8));
  CHECK(own_per_hour("p5", {"p5=30USD/h:preemptible"}) == Approx(55.04));
  CHECK(own_per_hour("p5", {"p5=30USD/h:preemptible"}, PriceKind::preemptible) == Approx(30));
  CHECK(own_per_hour("p5", {"p5=98USD/h"}, PriceKind::preemptible) == Approx(21.1543));
}

TEST_CASE("the answer says that the user gave the price") {
  PriceQuestion question;
  question.own = {parse_own_price("p5=98USD/h")};
  const auto price = system_price(build_cluster("p5:nodes=2"), question);
  REQUIRE(price);
  CHECK(price->what.text == "196 USD/h on-demand: 2 x p5 at 98");
  CHECK(price->source.source == "p5: given by the user");
  CHECK(price->source.provenance == Provenance::assumed);
  CHECK(price->source.date.empty());
}

TEST_CASE("an own price is written as it is read") {
  for (const std::string given : {"p5=98USD/h", "p5=12.3USD/h/accelerator:preemptible", "tpu-v3-32=32USD/h",
                                  "p5:nodes=4=7 USD/h", "h100=2USD/h"}) {
    const OwnPrice price = parse_own_price(given);
    CHECK(parse_own_price(text(price)) == price);
  }
}

TEST_CASE("a slip in an own price is refused with the nearest right word") {
  CHECK_THAT(complaint_of("p5"), ContainsSubstring("is not NAME=PRICE"));
  CHECK_THAT(complaint_of("=5USD/h"), ContainsSubstring("is not NAME=PRICE"));
  CHECK_THAT(complaint_of("p5=5USD/h|p5=6USD/h"), ContainsSubstring("--set own_price=A|B"));
  CHECK_THAT(complaint_of("p5=98"), ContainsSubstring("has no unit"));
  CHECK_THAT(complaint_of("p5=98EUR/h"), ContainsSubstring("USD/h"));
  CHECK_THAT(complaint_of("p5=-98USD/h"), ContainsSubstring("must be from 0 USD/h to 1000000000 USD/h, not -98USD/h"));
  CHECK_THAT(complaint_of("p5=98USD/h/nod"), ContainsSubstring("did you mean \"node\"?"));
  CHECK_THAT(complaint_of("p5=98USD/h:preemptable"), ContainsSubstring("did you mean \"preemptible\"?"));
  CHECK_THAT(complaint_of("dgx-a10=98USD/h"), ContainsSubstring("did you mean \"dgx-a100\"?"));
  CHECK_THAT(complaint_of("h100-sxm=2USD/h"), ContainsSubstring("did you mean \"h100-sxm5\"?"));
  CHECK_THAT(complaint_of("aws-p5.48xlrge=2USD/h"), ContainsSubstring("did you mean \"aws-p5.48xlarge\"?"));
  CHECK_THAT(complaint_of("something=2USD/h"), ContainsSubstring("mlsim list topologies"));
  CHECK_THAT(complaint_of("h100=2USD/h/node"), ContainsSubstring("h100 is priced by the accelerator, not by the node"));
  CHECK_THAT(complaint_of("tpu-v3-pod=32USD/h"), ContainsSubstring("tpu-v3-pod=PRICE/accelerator or /system"));
  CHECK_THAT(complaint_of("p5:nods=4=7USD/h"), ContainsSubstring("nodes"));
}

TEST_CASE("a price list of the user's own has the keys of mlsim's, most of them optional") {
  const ScratchFolder folder;
  const std::string path =
      folder.file("own.yaml",
                  "prices:\n"
                  "  - {resource: p5, on_demand: 40 USD/h, preemptible: 20 USD/h, source: invoice}\n"
                  "  - {resource: gcp-v100, unit: accelerator, regions: [us-central1, here], "
                  "from: 2019-01, until: 2020-12, on_demand: 1 USD/h}\n");
  PriceQuestion question;
  question.own = read_own_prices(path);
  REQUIRE(question.own.size() == 2);
  const auto per_hour = [&](const std::string& name) {
    const auto price = system_price(build_cluster(name), question);
    REQUIRE(price);
    return price->value.value * 3600;
  };
  CHECK(per_hour("p5") == Approx(40));
  CHECK(system_price(build_cluster("p5"), question)->source.source ==
        "p5: given by the user at " + path + ":2, invoice");
  CHECK(per_hour("gce-v100") == Approx(3.04 + 8));  // no date is asked for
  question.date = parse_date_span("2020-06");
  CHECK(per_hour("gce-v100") == Approx(3.04 + 8));
  CHECK(per_hour("p5") == Approx(40));
  question.date = parse_date_span("2026-06");
  CHECK(per_hour("gce-v100") == Approx(22.88));
}

TEST_CASE("a slip in a price list is refused with file, line and word") {
  CHECK(file_complaint("{resource: p5, on_demand: 4 USD/h}").empty());
  CHECK_THAT(file_complaint("{resource: p5, on_deman: 4 USD/h}"),
             ContainsSubstring("own.yaml:2: ") && ContainsSubstring("did you mean \"on_demand\"?"));
  CHECK_THAT(file_complaint("{resource: dgx-h10, on_demand: 4 USD/h}"),
             ContainsSubstring("own.yaml:2: ") && ContainsSubstring("did you mean \"dgx-h100\"?"));
  CHECK_THAT(file_complaint("{resource: p5}"), ContainsSubstring("needs on_demand, preemptible or both"));
  CHECK_THAT(file_complaint("{resource: p5, on_demand: 4 USD}"), ContainsSubstring("own.yaml:2: "));
  CHECK_THAT(file_complaint("{resource: p5, on_demand: -4 USD/h}"), ContainsSubstring("must be from 0 USD/h"));
  CHECK_THAT(file_complaint("{resource: p5, unit: nod, on_demand: 4 USD/h}"),
             ContainsSubstring("own.yaml:2: ") && ContainsSubstring("did you mean \"node\"?"));
  CHECK_THAT(file_complaint("{resource: p5, from: 2020-12, until: 2020-11, on_demand: 4 USD/h}"),
             ContainsSubstring("is before"));
}
