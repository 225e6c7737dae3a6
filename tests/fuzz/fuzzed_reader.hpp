// All readers of files from elsewhere, as functions of bytes.
#pragma once

#include <string>
#include <vector>

namespace mlsim::test {

struct FuzzedReader {
  std::string name;  // "model"; also the folder of its seeds and of what was found
  void (*read)(const std::string& bytes);
};

const std::vector<FuzzedReader>& fuzzed_readers();

/// What is wrong with how the reader takes the bytes; empty where nothing is. It is right to return, or to throw an
/// error of core/text/errors.hpp that is one printable sentence.
std::string complaint(const FuzzedReader& reader, const std::string& bytes);

}  // namespace mlsim::test
