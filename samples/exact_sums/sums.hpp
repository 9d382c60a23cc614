/// @file
/// @brief  Sums of the same numbers over several ranks. Plain C++; sums.cpp is where parprims works.
#pragma once

#include "support/place.hpp"

#include <cstddef>
#include <vector>

/// @brief  As a program with MPI has it: each rank adds up its part by `plus`, and the sums of the ranks are added one after the other.
double plain_sum(const std::vector<double>& x, std::size_t ranks, const samples::place& where);

/// @brief  `reduce` with `exact_plus`.
double exact_sum(const std::vector<double>& x, const samples::place& where);

/// @brief  `reduce` with `exact_plus` over ranks, which are threads here, on the CPU.
double exact_sum_of_ranks(const std::vector<double>& x, std::size_t ranks);
