# What the programs of the samples and the benches share: command lines, sizes, text, tables, files. Plain C++.
include_guard(GLOBAL)
set(sources command_line files machine sizes table text)
list(TRANSFORM sources REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/\\1.cpp")
add_library(parprims_program_support STATIC ${sources})
parprims_configure_target(parprims_program_support)
# As one source: the headers of CLI11 and JSON take most of the time.
set_target_properties(parprims_program_support PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(parprims_program_support PUBLIC "${CMAKE_CURRENT_LIST_DIR}/..")
target_link_libraries(parprims_program_support PUBLIC parprims::parprims CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
target_compile_options(parprims_program_support PRIVATE "$<$<CONFIG:Release>:-Og>") # no loop in it takes time
