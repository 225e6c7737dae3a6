// Answer parts are what a step's time and an accelerator's memory add up from; every text and page lists them so.
#pragma once

#include "core/result/prediction.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

template <class Whole, class Q>
struct AnswerPart {
  const char* name;
  Q Whole::*part;
};

inline constexpr AnswerPart<StepBreakdown, Seconds> kStepParts[] = {
    {"compute", &StepBreakdown::compute},
    {"exposed communication", &StepBreakdown::exposed_communication},
    {"optimizer", &StepBreakdown::optimizer},
    {"input wait", &StepBreakdown::input_wait},
    {"straggler wait", &StepBreakdown::straggler_wait},
    {"bubble", &StepBreakdown::bubble},
    {"overhead", &StepBreakdown::overhead}};

inline constexpr AnswerPart<Prediction::MemoryParts, Bytes> kMemoryParts[] = {
    {"activations", &Prediction::MemoryParts::activations},
    {"optimizer state", &Prediction::MemoryParts::optimizer_state},
    {"weights", &Prediction::MemoryParts::weights},
    {"gradients", &Prediction::MemoryParts::gradients},
    {"workspace", &Prediction::MemoryParts::workspace},
    {"communication buffers", &Prediction::MemoryParts::buffers}};

}  // namespace mlsim::reports
