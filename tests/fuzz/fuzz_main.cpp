// What libFuzzer calls for each input. MLSIM_FUZZ_READER names the reader.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzzed_reader.hpp"

namespace {

using mlsim::test::FuzzedReader;

const FuzzedReader& chosen_reader() {
  const char* name = std::getenv("MLSIM_FUZZ_READER");
  for (const FuzzedReader& reader : mlsim::test::fuzzed_readers())
    if (name != nullptr && reader.name == name) return reader;
  std::fprintf(stderr, "MLSIM_FUZZ_READER must name one of the readers:\n");
  for (const FuzzedReader& reader : mlsim::test::fuzzed_readers()) std::fprintf(stderr, "%s\n", reader.name.c_str());
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzedReader& reader = chosen_reader();
  const std::string wrong = complaint(reader, {reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s: %s\n", reader.name.c_str(), wrong.c_str());
  std::abort();
}
