// largest_of_normals() says how far the slowest of n ranks lies from the mean one.
#pragma once

namespace mlsim {

/// Returns the expected largest of `count` standard normal values: 0, 0.56, 0.85, 1.03, 1.42 for 1, 2, 3, 4 and 8
/// (Harter, Expected values of normal order statistics, Biometrika 48, 1961).
double largest_of_normals(int count);

}  // namespace mlsim
