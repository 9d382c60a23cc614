/// @file
/// @brief  What `describe` says: for people, and as JSON.
#pragma once

#include "describe/statistics.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

void print_report(const std::string& name, const measured_statistics& measured);

nlohmann::ordered_json report_as_json(const std::string& name, const measured_statistics& measured);

/// The counts of each file, one above the other.
std::string report_as_svg(const std::vector<std::pair<std::string, statistics>>& files);
