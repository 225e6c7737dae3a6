#include "calibrate/error_tolerance.hpp"

#include <algorithm>

namespace mlsim::calibrate {

// A sum of k products errs by sqrt(k) to k unit roundoffs of the format it is added up in (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., 3.1 and 4.2). fp32 (6e-8) with k up to 1e6 stays under 6e-5, fast
// convolutions lose one more digit of what is then 6e-6. tf32 and fp16 keep 11 bits of each factor (5e-4), bf16 8 bits
// (4e-3), fp8 4 bits (6e-2), added up in fp32; results are stored in the format once more. Wrong results, of a wrong
// stride, an unwritten tail or a missing term, err by a tenth and more.
double error_tolerance(Precision precision) {
  switch (precision) {
    case Precision::fp32: return 1e-4;
    case Precision::tf32: return 1e-2;
    case Precision::fp16:
    case Precision::bf16: return 2e-2;
    case Precision::fp8: return 0.15;
  }
  return 0;
}

double error_tolerance(std::string_view subject) {
  double widest = error_tolerance(Precision::fp32);
  while (!subject.empty()) {
    const auto end = std::min(subject.find(' '), subject.size());
    for (const auto& word : names<Precision>())
      if (word == subject.substr(0, end)) widest = std::max(widest, error_tolerance(parse<Precision>(word)));
    subject.remove_prefix(std::min(end + 1, subject.size()));
  }
  return widest;
}

}  // namespace mlsim::calibrate
