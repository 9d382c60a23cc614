/// @file
/// @brief  What `describe` says: for people, and as JSON.
#pragma once

#include "describe/statistics.hpp"

#include <nlohmann/json.hpp>

#include <string>

void print_report(const std::string& name, const measured_statistics& measured);

nlohmann::ordered_json report_as_json(const std::string& name, const measured_statistics& measured);
