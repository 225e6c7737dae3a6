// How the energy of a job and its price read: "12.3 kWh", "5.60 kW", "4.74 kg CO2e", and a line of all.
#pragma once

#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

std::string joules_text(double joules);
std::string watts_text(double watts);
std::string carbon_text(double kilograms);

/// Writes "4.74 kg CO2e; 5.60 kW of accelerators x PUE 1.1, 0.385 kg a kWh".
std::string energy_note(const Prediction::Energy& energy);

/// Writes "owning it is cheaper than 98.32 USD/h of rent above 11.6 % of 3 years in use".
std::string purchase_note(const Prediction::Purchase& purchase);

/// Writes "your own" of a price that the user gave, with where it stands in a file: "your own, mine.yaml:2"; empty of
/// any other.
std::string own_price_text(const Prediction& prediction);

}  // namespace mlsim::reports
