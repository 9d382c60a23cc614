/// @file
/// @brief  Which backend a sample runs on: asked for on the command line, decided at run time, and said.
#pragma once

#include "support/place.hpp"

#include <CLI/CLI.hpp>

namespace samples {

enum class backend { automatic, host, device };

/// @brief  --backend NAME
void add_backend_option(CLI::App& app, backend& wish);

/// @brief  The GPU if it is asked for, or if nothing is and there is one; else the CPU.
/// @throws CLI::ValidationError  the GPU is asked for and there is none; the message says why
/// @throws parprims::cuda_error  there is a GPU, and it cannot be used
place choose_place(backend wish);

}  // namespace samples
