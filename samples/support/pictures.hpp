/// @file
/// @brief  What samples have in common that make a picture of a picture.
#pragma once

#include "support/png.hpp"
#include "support/report.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace samples {

struct picture_files {
    std::string in;                ///< if not named, a photograph
    std::string out;               ///< if not named, `output/IN-SUFFIX.png`
    std::string json;              ///< empty: none
    std::filesystem::path folder;  ///< made for the result, where it is not empty
};

/// @brief  The picture that is written, on the command line.
struct picture_out {
    std::string suffix;  ///< of the name, if none is given
    std::string help;
    bool may_replace_input = false;
};

/// @brief  Parses `[IN.png [OUT.png]] [--backend NAME] [--json FILE]`, tries all files, and calls `run`.
/// @return what `main` returns
int run_picture_sample(CLI::App& app, const picture_out& out, int argc, char** argv,
                       const std::function<int(const picture_files&, const place&)>& run);

/// @brief  The end of such a sample: prints the claims and, if they hold, writes the picture and the report.
/// @param  more  what else goes into the JSON
/// @return what `main` returns
int finish(const std::string& sample, const place& where, const picture_files& names, const std::vector<claim>& claims,
           const image& result, const nlohmann::ordered_json& more);

/// @brief  The first channel of a picture.
std::vector<std::uint8_t> first_channel(const image& picture);

}  // namespace samples
