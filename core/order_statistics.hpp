// The expected largest of n random values: how far the slowest of n ranks lies from the mean one.
#pragma once

namespace mlsim {

/// The expected largest of `count` standard normal values: 0, 0.56, 0.85, 1.03, 1.42 for 1, 2, 3, 4 and 8
/// (Harter, Expected values of normal order statistics, Biometrika 48, 1961).
double largest_of_normals(int count);

/// The same of `count` exponential values of mean 1, less that mean: 1 + 1/2 + ... + 1/count - 1; 1.72, 3.74 and 7.90
/// for 8, 64 and 4096 (Renyi, On the theory of order statistics, 1953).
double largest_of_exponentials(int count);

}  // namespace mlsim
