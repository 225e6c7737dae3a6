// A job ends after so many tokens or epochs where nothing is known of its target: this setting says after how many.
#pragma once

namespace mlsim {

/// Names the setting that people give such a job its length by.
constexpr const char* length_setting(bool has_tokens) { return has_tokens ? "tokens" : "epochs"; }

}  // namespace mlsim
