#include "workloads/model/file_parameters.hpp"

#include <limits>
#include <map>
#include <utility>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::int64_t value(const std::string& text) {
  const std::map<std::string, std::int64_t> parameters{{"hidden", 1024}, {"heads", 16}, {"x_1", 3}};
  return expression_value(text, [&](const std::string& name) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) throw InputError("unknown " + name);
    return found->second;
  });
}

}  // namespace

TEST_CASE("an expression is worked out as in arithmetic") {
  CHECK(value("7") == 7);
  CHECK(value(" 4 * hidden ") == 4096);
  CHECK(value("hidden/heads") == 64);
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("(2 + 3) * 4") == 20);
  CHECK(value("20 - 5 - 5") == 10);
  CHECK(value("64 / 4 / 2 * 3") == 24);
  CHECK(value("-x_1 + 10") == 7);
  CHECK(value("2 - -3") == 5);
  CHECK(value("((((hidden))))") == 1024);
  CHECK(value("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a wrong expression is refused with the reason") {
  const std::pair<const char*, const char*> rows[] = {
      {"hidden / 3", "\"hidden / 3\" does not divide: 1024 / 3 leaves 1"},
      {"hidden / (heads - 16)", "\"hidden / (heads - 16)\" divides by zero"},
      {"hidden *", "\"hidden *\" ends where a number or a parameter should stand"},
      {"", "\"\" ends where a number or a parameter should stand"},
      {"(1 + 2", "a \")\" is missing in \"(1 + 2\""},
      {"1 + 2)", "\")\" is unexpected in \"1 + 2)\""},
      {"2 hidden", "\"h\" is unexpected in \"2 hidden\""},
      {"4.5", "\"4.5\" is not a whole number"},
      {"1e3", "\"1e3\" is not a whole number"},
      {"[3]", "\"[3]\" is not a whole number or an expression of parameters"},
      {"hiden", "unknown hiden"},
      {"9223372036854775808", "\"9223372036854775808\" is too large; it leaves 64 bits"},
      {"9223372036854775807 + 1", "\"9223372036854775807 + 1\" is too large; it leaves 64 bits"},
      {"-9223372036854775807 - 2", "\"-9223372036854775807 - 2\" is too large; it leaves 64 bits"},
      {"4294967296 * 4294967296", "\"4294967296 * 4294967296\" is too large; it leaves 64 bits"},
      {"(-9223372036854775807 - 1) / -1", "\"(-9223372036854775807 - 1) / -1\" is too large; it leaves 64 bits"},
      {"-(-9223372036854775807 - 1)", "\"-(-9223372036854775807 - 1)\" is too large; it leaves 64 bits"},
  };
  for (const auto& [text, message] : rows) {
    INFO(text);
    CHECK_THROWS_WITH(value(text), message);
    CHECK_THROWS_AS(value(text), InputError);
  }
}

TEST_CASE("an endless expression is refused, not followed") {
  CHECK_THROWS_AS(value(std::string(100, '(') + "1" + std::string(90, ')')), InputError);
  CHECK_THROWS_AS(value(std::string(150, '-') + "1"), InputError);
  CHECK_THROWS_AS(value(std::string(100000, '1')), InputError);
}

TEST_CASE("a parameter's name is a word") {
  CHECK(is_parameter_name("hidden"));
  CHECK(is_parameter_name("x_1"));
  for (const char* wrong : {"", "1x", "a-b", "a b", "a.b", "\xc3\xa4"}) CHECK_FALSE(is_parameter_name(wrong));
}
