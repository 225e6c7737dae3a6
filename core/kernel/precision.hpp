// Precision names the number format of a training step; "mixed" reads as fp16, as the published tables spell it.
#pragma once

#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

/// Matrix products have this format. fp16, bf16 and all below mean mixed precision: weights and optimizer state stay
/// fp32. Those from fp8 on are recipes: products of layers cast their operands to eight or four bits, with a scale for
/// each tensor (fp8, int8), for 128 values or a block of 128 x 128 (fp8_block, as DeepSeek-V3's, arXiv:2412.19437,
/// section 3.3), for 32 values (mxfp8, OCP Microscaling Formats 1.0) or for 16 (nvfp4, arXiv:2509.25149); attention,
/// the output layer and all that is no product stay in bf16 (NVIDIA/TransformerEngine, common/recipe).
enum class Precision { fp32, tf32, fp16, bf16, fp8, fp8_block, mxfp8, nvfp4, int8 };

inline Words<Precision> words(Precision) {
  return {"precision",
          {"fp32", "tf32", "fp16", "bf16", "fp8", "fp8-block", "mxfp8", "nvfp4", "int8"},
          {{"mixed", Precision::fp16}}};
}

inline bool is_recipe(Precision precision) { return precision >= Precision::fp8; }

/// Returns the format of what a recipe leaves as it is: bf16; other precisions are one format.
inline Precision plain_format(Precision precision) { return is_recipe(precision) ? Precision::bf16 : precision; }

/// Returns the format whose units compute a recipe's products: blocks of fp8 are multiplied as fp8 is.
inline Precision unit_format(Precision precision) {
  return precision == Precision::fp8_block ? Precision::fp8 : precision;
}

/// Returns the bytes of one stored activation or gradient: 4 for fp32 and tf32, else 2 (recipes store bf16).
Bytes element_size(Precision precision);

/// Returns the bytes of one value of an operand as a product reads it, with its share of the scales.
Bytes operand_size(Precision precision);

}  // namespace mlsim
