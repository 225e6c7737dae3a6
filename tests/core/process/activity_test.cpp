// What the program is said to be at.
#include "core/process/activity.hpp"

#include <unistd.h>

#include <string>

#include "catch.hpp"
#include "core/process/forked.hpp"
#include "core/process/workers.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;

namespace {

std::string at_now() {
  const ActivityLevels& now = current_activities();
  std::string text;
  for (std::size_t i = 0; i < now.count; ++i)
    text += std::string(now.at[i].what.data()) + " " + std::to_string(now.at[i].done) + "/" +
            std::to_string(now.at[i].all) + ";";
  return text;
}

}  // namespace

TEST_CASE("what the program is at stands inside what it is at longer, each with its count") {
  CHECK(at_now().empty());
  Activity outer("answering cases", 3);
  outer.advance();
  {
    Activity inner("looking up routes");
    inner.advance(2);
    inner.reach(4, 5);
    inner.rename("finding classes");
    CHECK(at_now() == "answering cases 1/3;finding classes 4/5;");
  }
  CHECK(at_now() == "answering cases 1/3;");
}

TEST_CASE("longer names are cut, and the ninth activity is not seen") {
  const Activity first(std::string(100, 'x'));
  CHECK(at_now() == std::string(63, 'x') + " 0/0;");
  const Activity a("a"), b("b"), c("c"), d("d"), e("e"), f("f"), g("g"), ninth("ninth");
  CHECK(at_now().ends_with("f 0/0;g 0/0;"));
  CHECK(current_activities().at.size() == 8);
}

TEST_CASE("a forked child says what it is at for its parent, also when it is killed") {
  const Activity outer("outer");
  forked([] {
    Activity inner("inner", 7);
    inner.advance();
    ::_exit(0);
    return std::string();
  });
  CHECK(at_now() == "outer 0/0;inner 1/7;");
  { const Activity next("next"); }
  CHECK(at_now() == "outer 0/0;");
}

TEST_CASE("workers are seen by how many questions are answered, and keep their own activities to themselves") {
  WorkerOptions options;
  options.workers = 2;
  std::string last;
  options.arrived = [&](std::size_t, const Outcome&) { last = at_now(); };
  worker_outcomes(
      5,
      [](std::size_t) {
        const Activity own("own");
        return std::string();
      },
      options);
  CHECK(last == "answering questions 4/5;");
  CHECK(at_now().empty());
}
