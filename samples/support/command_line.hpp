/// @file
/// @brief  What the command lines of the samples have in common: the choice of the backend, errors, exit codes.
///
/// Exit codes: 0 the answer is there and was checked, 1 it is not (one line on stderr says why), 2 a wrong command line.
#pragma once

#include "support/backend.hpp"
#include "support/text.hpp"

#include <parprims/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <string>

namespace samples {

inline void add_backend_option(CLI::App& app, backend& wish)
{
    const auto choose = [&wish](const std::string& name) {
        const std::map<std::string, backend> names{
            {"auto", backend::automatic}, {"host", backend::host}, {"device", backend::device}};
        const auto found = names.find(name);
        if (found == names.end())
            throw CLI::ValidationError("--backend", fmt::format("'{}' is none of auto, host, device", name));
        wish = found->second;
    };
    app.add_option_function<std::string>("--backend", choose, "auto (the GPU if there is one), host or device")
        ->type_name("NAME");
}

/// @brief  Parses the command line and calls `run`, which returns the exit code.
template <class Run>
int run_program(CLI::App& app, int argc, char** argv, Run run)
{
    try {
        app.parse(argc, argv);
        return run();
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "{}: {} (see {} --help)\n", app.get_name(), printable(error.what()), app.get_name());
        return 2;
    } catch (const parprims::out_of_memory& error) {
        fmt::print(stderr, "{}: {}\n", app.get_name(), printable(error.what()));
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "{}: this takes more memory than there is\n", app.get_name());
    } catch (const std::length_error&) {  // more than a vector holds
        fmt::print(stderr, "{}: this takes more memory than there is\n", app.get_name());
    } catch (const std::exception& error) {  // one line, whatever a file is called
        fmt::print(stderr, "{}: {}\n", app.get_name(), printable(error.what()));
    }
    return 1;
}

}  // namespace samples
