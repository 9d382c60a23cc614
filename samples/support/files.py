"""The rule of samples/support/files.hpp for scripts: files are tried before the work, and an output is never an input."""
import os
import pathlib
import sys
import tempfile


def is_same(one, other):
    """Whether two names, also by links, are those of one file, or would be. Devices and pipes hold nothing."""
    one, other = pathlib.Path(one), pathlib.Path(other)
    if one.exists() and not one.is_file():
        return False
    return one.exists() and other.exists() and one.samefile(other) or one.resolve() == other.resolve()


def reason_against(output):
    """Why a file cannot be written; None if it can."""
    path = pathlib.Path(output)
    if path.is_dir():
        return "it is a folder"
    try:
        if path.exists():
            return None if os.access(path, os.W_OK) else "Permission denied"
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return None
    except OSError as error:
        return error.strerror


def check(inputs, outputs):
    """Ends the program with a line on stderr: with 2 where an output is an input or what is printed, with 1 where a file cannot
    be used."""
    program = pathlib.Path(sys.argv[0]).name

    def end(code, reason):
        print(f"{program}: {reason}", file=sys.stderr)
        sys.exit(code)

    for output in outputs:
        if any(is_same(each, output) for each in inputs):
            end(2, f"{output} is read, and would be overwritten")
        if is_same("/dev/stdout", output):
            end(2, f"{output} is written already")
    for each in map(pathlib.Path, inputs):
        try:
            each.stat()
        except OSError as error:
            end(1, f"{each}: cannot be read: {error.strerror}")
        if each.is_dir() or not os.access(each, os.R_OK):  # to open a pipe would be taken for the reading
            end(1, f"{each}: " + ("is a folder" if each.is_dir() else "cannot be read: Permission denied"))
    for output in outputs:
        if reason := reason_against(output):
            end(1, f"{output}: cannot be written: {reason}")
