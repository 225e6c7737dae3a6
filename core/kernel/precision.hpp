// Precision names the number format of a training step; "mixed" reads as fp16, as the published tables spell it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

/// Matrix products have this format. fp16, bf16 and fp8 mean mixed precision: weights and optimizer state stay fp32.
enum class Precision { fp32, tf32, fp16, bf16, fp8 };

const Words<Precision>& words(Precision);

/// Returns the bytes of one stored activation or gradient: 4 for fp32 and tf32, else 2 (fp8 stores bf16 activations).
Bytes element_size(Precision precision);

}  // namespace mlsim
