#!/usr/bin/env python3
"""Compiles a program with what a user's program may have before the headers of parprims: macros, and functions of its own with the
names of ours.

  * Macros: the real ones of headers that are here, and each of MACROS, which are names that headers of other libraries define.
    A name that parprims uses has to be in detail/push_macros.hpp, which every public header includes first.
  * Functions: the namespace `hostile`, which has the values, iterators and operators of the program, gets a template for each
    name that the headers call. If argument-dependent lookup considers one of them, the compilation ends with `found by its
    arguments`: the call has to be qualified.

usage: names.py ROOT PROGRAM COMPILER [FLAG...] | names.py --self-test COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MACROS = {
    "complex.h": "I complex imaginary",
    "windows.h": "min(a,b) max(a,b) small near far interface IN OUT pascal cdecl hyper ERROR CONST VOID DELETE STRICT OPTIONAL THIS Yield",
    "X11": "None Bool Status True False Always Success Above Below CurrentTime Complex Convex Cursor Font Root Unsorted",
    "sys/sysmacros.h": "major(d) minor(d) makedev(a,b)",
    "compilers that do not conform": "linux unix i386 sun vax mips arm",
    "strings.h of old systems": "index rindex bcopy bzero",
    "AssertMacros.h": "check(x) verify(x) require(x,l)",
    "Qt": "slots signals emit foreach forever",
    "ctype.h of newlib": "_U _L _N _S _P _C _X _B",
    "math.h of System V": "HUGE DOMAIN OVERFLOW UNDERFLOW SING PLOSS",
    "curses.h": "ERR OK stdscr",
    "R.h": "length(x) error warning PI",
    "sys/param.h, glib.h": "MIN MAX ABS CLAMP isset(a,i) roundup(x,y) howmany(x,y) powerof2(x)",
    "objc.h": "nil Nil YES NO BOOL",
    "flex": "BEGIN REJECT INITIAL",
    "Arduino.h": "abs(x) round(x) bit(b) sq(x) HIGH LOW INPUT OUTPUT DEFAULT B1",
    "termios.h": "B0 B50 ECHO NL0 CR0 TAB0 BS0 VT0 FF0",
    "users and headers of hardware": " ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
}
SYSTEM = ["complex.h", "ctype.h", "curses.h", "errno.h", "math.h", "signal.h", "stdio.h", "strings.h", "sys/param.h", "sys/ioctl.h",
          "sys/sysmacros.h", "sys/types.h", "termios.h", "X11/Xlib.h", "unistd.h"]

BEGIN, END = "#include <parprims/detail/push_macros.hpp>", "#include <parprims/detail/pop_macros.hpp>"
OF_THE_PREPROCESSOR = {"config.hpp", "version.hpp"}  # have no names but macros of parprims

KEYWORDS = set("""alignas alignof asm bool catch char class const_cast constexpr decltype defined delete double dynamic_cast else explicit
    float for if int long new noexcept offsetof operator reinterpret_cast requires return short sizeof static_assert static_cast switch
    template typeid unsigned using void volatile while""".split())
OF_THE_STANDARD = {"begin", "end", "swap"}  # the standard library looks for these among the user's

ANY_CALL = re.compile(r"(?<![\w.>~])([a-z_]\w*)\s*(?=[(<])")
NOT_CODE = re.compile(r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


def headers(root):
    return sorted((root / "include" / "parprims").rglob("*.hpp"))


def called_names(root):
    names = {name for header in headers(root) for name in ANY_CALL.findall(NOT_CODE.sub("", header.read_text()))}
    return {name for name in names if "__" not in name} - KEYWORDS - OF_THE_STANDARD


def hostile_functions(names):
    """Templates that take any arguments, and as many arguments of templates as the calls have."""
    parameters = {"class... Ts": "Ts...", "auto V, class... Ts": "decltype(V), Ts...",
                  "auto V, auto W, class... Ts": "decltype(V), decltype(W), Ts...", "class T, auto V, class... Ts": "T, decltype(V), Ts..."}
    for name in sorted(names):
        yield "namespace found_by_its_arguments {"
        yield f"template <class... Ts> struct {name} {{"
        yield f'    static_assert(sizeof...(Ts) > 99, "{name} is found by its arguments: qualify the call");'
        yield "    using type = int;\n};\n}\nnamespace hostile {"
        for head, arguments in parameters.items():
            yield f"template <{head}> typename ::found_by_its_arguments::{name}<{arguments}>::type {name}(...);"
        yield "}"
    yield "namespace found_by_its_arguments {\ntemplate <class T> struct address_of_ours {"
    yield '    static_assert(sizeof(T) == 0, "operator& is found by its argument: use __builtin_addressof");'
    yield "    using type = int;\n};\n}\nnamespace hostile {"
    yield "template <class T> typename ::found_by_its_arguments::address_of_ours<T>::type operator&(T&&);\n}"


def standard_headers(root):
    text = "".join(header.read_text() for header in headers(root))
    return sorted(set(re.findall(r"#include <(\w+)>", text)))


def prelude(root, program, system):
    """What stands before the program."""
    types = set(re.findall(r"struct (\w+)", program.with_name("calls.hpp").read_text()))
    lines = [f"#if __has_include(<{name}>)\n#include <{name}>\n#endif" for name in [*standard_headers(root), *system]]
    lines += hostile_functions(called_names(root) - types)
    for names in MACROS.values():
        for name in names.split():
            plain = name.partition("(")[0]
            lines += [f"#undef {plain}", f"#define {name} @macro {plain}@"]
    return "\n".join(lines) + "\n"


def pushed(root):
    return re.findall(r'push_macro\("(\w+)"\)', (root / "include/parprims/detail/push_macros.hpp").read_text())


def check_headers(root):
    """The faults of the headers as texts."""
    faults = []
    names = pushed(root)
    if re.findall(r'pop_macro\("(\w+)"\)', (root / "include/parprims/detail/pop_macros.hpp").read_text()) != names:
        faults.append("detail/pop_macros.hpp: has other names than push_macros.hpp")
    public = root / "include" / "parprims"
    for header in sorted([*public.glob("*.hpp"), *public.glob("simt/*.hpp")]):
        lines = [line for line in header.read_text().splitlines() if line and not line.startswith("//")]
        if header.name not in OF_THE_PREPROCESSOR and not (lines[1].startswith(BEGIN) and lines[-1] == END):
            faults.append(f"{header.relative_to(public)}: does not begin with {BEGIN} and end with {END}")
    return faults


def check_others(root, compiler, flags):
    """A macro that a header of another library defines between push and pop would be lost."""
    text = "".join(header.read_text() for header in headers(root))
    outside = sorted(set(re.findall(r"#include <(?!parprims/)([\w./]+)>", text)))
    text = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in outside)
    macros = subprocess.run([compiler, *flags, "-E", "-dM", "-x", "c++", "-"], input=text, capture_output=True, text=True).stdout
    defined = set(re.findall(r"#define (\w+)", macros))
    return [f"{name}: another library's header that parprims includes defines it: it would be lost" for name in pushed(root)
            if name in defined]


def check_program(root, program, compiler, flags, system=SYSTEM):
    with tempfile.TemporaryDirectory() as folder:
        before = pathlib.Path(folder, "before.hpp")
        before.write_text("#pragma once\n" + prelude(root, program, system))
        result = subprocess.run([compiler, *flags, "-I", str(root / "include"), "-include", str(before), str(program)],
                                capture_output=True, text=True)
    output = (result.stdout + result.stderr).strip()
    return [] if result.returncode == 0 and not output else [output or "the compiler fails without a word"]


def self_test(compiler):
    cases = [  # of a header: the body of a call, or what follows the includes; what must be found; nothing: good
        ("parprims::helper(x); T copy = x; (void)copy;", "", ""),
        ("helper(x);", "", "helper is found by its arguments"),
        ("helper<T>(x);", "", "helper is found by its arguments"),
        ("numbered<2>(x);", "", "numbered is found by its arguments"),
        ("(void)&x;", "", "use __builtin_addressof"),
        ("(void)__builtin_addressof(x);", "", ""),
        ("", "struct axis { int index(); };\n", "macro index"),
        ("", "template <class I> struct leaf {};\n", "macro I"),
        ("", "template <class Index> struct leaf {};\n", ""),
    ]
    program_text = '#include "calls.hpp"\nvoid f(hostile::value x) { parprims::call(x); }\n'
    for body, rest, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "include/parprims/detail").mkdir(parents=True)
            (root / "include/parprims/detail/push_macros.hpp").write_text('#pragma push_macro("T")\n#undef T\n')
            (root / "include/parprims/detail/pop_macros.hpp").write_text('#pragma pop_macro("T")\n')
            header = f"#pragma once\n{BEGIN}\n#include <cstddef>\n{rest}namespace parprims {{\n"
            header += "template <class T> void helper(const T&) {}\ntemplate <int, class T> void numbered(const T&) {}\n"
            header += f"template <class T> void call([[maybe_unused]] T& x) {{ {body} }}\n}}\n{END}\n"
            (root / "include/parprims/a.hpp").write_text(header)
            (root / "calls.hpp").write_text("#include <parprims/a.hpp>\nnamespace hostile { struct value {}; }\n")
            program = root / "program.cpp"
            program.write_text(program_text)
            faults = check_headers(root) + check_program(root, program, compiler, ["-std=gnu++20", "-fsyntax-only"], [])
            assert (any(expected in fault for fault in faults) if expected else not faults), (body, rest, faults)
            (root / "include/parprims/simt").mkdir()
            for name in ("simt/b.hpp", "a.hpp"):
                (root / "include/parprims" / name).write_text(header.replace(END, ""))
                assert len(check_headers(root)) == 1, f"{name} without its end passes"
                (root / "include/parprims" / name).write_text(header)
            (root / "include/parprims/detail/push_macros.hpp").write_text('#pragma push_macro("INT_MAX")\n')
            (root / "include/parprims/a.hpp").write_text(header.replace("cstddef", "climits"))
            assert check_others(root, compiler, []), "a macro of another library passes"
    print(f"{sum(expected != '' for _, _, expected in cases) + 2} known-bad headers are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
    else:
        root, program, compiler, flags = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
        found = check_headers(root) + check_program(root, program, compiler, flags)
        if program.suffix == ".cpp":
            found += check_others(root, compiler, flags)
        print(*found, sep="\n")
        sys.exit(1 if found else 0)
