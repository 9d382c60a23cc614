# Writes OUT, a header that names the commit in SOURCE: at every build, and only where it has changed.
set(commit unknown)
find_program(git git)
if(git)
    execute_process(
        COMMAND "${git}" -C "${SOURCE}" describe --always --dirty --exclude=* OUTPUT_VARIABLE described
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit "${described}")
    endif()
endif()
file(WRITE "${OUT}.new" "#pragma once\n\nnamespace bench {\nconstexpr const char* commit = \"${commit}\";\n}\n")
file(COPY_FILE "${OUT}.new" "${OUT}" ONLY_IF_DIFFERENT)
