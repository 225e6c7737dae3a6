#include "calibrate/collectives/collective_subject.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::size_t elements(const std::string& subject, int ranks) {
  return element_count(parse_collective_subject(subject), ranks);
}

}  // namespace

TEST_CASE("a collective's order names kind, library, device, precision and payload") {
  const std::string text = "collective reduce-scatter gloo cpu fp16 1048576";
  const CollectiveSubject subject = parse_collective_subject(text);
  CHECK(subject == CollectiveSubject{CollectiveKind::reduce_scatter, "gloo", "cpu", Precision::fp16, mebibytes(1)});
  CHECK(to_text(subject) == text);
}

TEST_CASE("point to point is a subject of its own") {
  const std::string text = "point-to-point nccl cuda fp32 8";
  CHECK(parse_collective_subject(text).kind == CollectiveKind::send_receive);
  CHECK(to_text(parse_collective_subject(text)) == text);
}

TEST_CASE("a wrong word of a collective's order is answered with the nearest") {
  CHECK_THROWS_WITH(parse_collective_subject("collective all-redu mpi cpu fp32 8"), ContainsSubstring("all-reduce"));
  CHECK_THROWS_WITH(parse_collective_subject("collective all-reduce mpy cpu fp32 8"), ContainsSubstring("mpi"));
  CHECK_THROWS_WITH(parse_collective_subject("collective all-reduce mpi gpu fp32 8"), ContainsSubstring("device"));
  CHECK_THROWS_WITH(parse_collective_subject("collective all-reduce mpi cpu bf16 8"), ContainsSubstring("fp16"));
  CHECK_THROWS_WITH(parse_collective_subject("point-to-pint mpi cpu fp32 8"), ContainsSubstring("point-to-point"));
}

TEST_CASE("an order of a collective that misses a word or has no payload is refused") {
  for (const char* text : {"", "collective", "collective all-reduce mpi cpu fp32", "point-to-point mpi cpu fp32 8 9",
                           "collective all-reduce mpi cpu fp32 0", "collective all-reduce mpi cpu fp32 -8",
                           "collective all-reduce mpi cpu fp32 1.5", "collective all-reduce mpi cpu fp32 8B",
                           "collective halo-exchange mpi cpu fp32 8", "collective all-reduce mpi cpu fp32 1e30"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_collective_subject(text), InputError);
  }
}

TEST_CASE("a payload is cut to whole elements, and to equal parts where ranks have parts") {
  CHECK(elements("collective all-reduce mpi cpu fp32 10", 4) == 2);
  CHECK(elements("collective all-gather mpi cpu fp32 30", 4) == 4);
  CHECK(elements("collective all-to-all mpi cpu fp16 30", 4) == 12);
  CHECK(elements("point-to-point mpi cpu fp16 30", 4) == 15);
  CHECK_THROWS_AS(elements("collective reduce-scatter mpi cpu fp32 12", 4), Unavailable);
  CHECK_THROWS_AS(elements("collective all-reduce mpi cpu fp32 3", 2), Unavailable);
}

TEST_CASE("the payload is the larger of a rank's send and receive buffers") {
  CHECK(sent_elements(CollectiveKind::all_gather, 8, 4) == 2);
  CHECK(received_elements(CollectiveKind::all_gather, 8, 4) == 8);
  CHECK(sent_elements(CollectiveKind::reduce_scatter, 8, 4) == 8);
  CHECK(received_elements(CollectiveKind::reduce_scatter, 8, 4) == 2);
  CHECK(sent_elements(CollectiveKind::all_to_all, 8, 4) == 8);
  CHECK(received_elements(CollectiveKind::all_to_all, 8, 4) == 8);
}

}  // namespace mlsim::test
