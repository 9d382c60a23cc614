#!/usr/bin/env python3
"""Checks the layers of parprims: includes go downwards, each layer names only what is its own, a file with one call
reads no header that takes long to compile, and samples include what is public alone.

usage: layering.py ROOT | layering.py --self-test
"""
import pathlib
import re
import sys
import tempfile

# From the bottom up. A header may include those of its own layer and of the layers before it.
LAYERS = [
    ["config.hpp", "version.hpp", "detail/source_location.hpp", "detail/push_macros.hpp",
     "detail/pop_macros.hpp"],
    ["error.hpp", "concepts.hpp", "detail/contract/order.hpp",
     "detail/contract/keyed.hpp", "detail/contract/segments.hpp", "detail/contract/lines.hpp", "detail/uninitialized.hpp", "detail/numeric/", "detail/ranks/division.hpp"],
    ["device.hpp", "detail/runtime/device_guard.hpp", "stream.hpp", "timer.hpp"],
    ["memory_resource.hpp"],
    ["detail/runtime/"],
    ["device_buffer.hpp", "pinned_buffer.hpp", "detail/buffer.hpp"],
    ["launch_config.hpp", "execution.hpp"],
    ["detail/simt/", "detail/executor/", "simt/statistics.hpp"],
    ["simt/simt.hpp", "simt/executor.hpp"],
    ["functional.hpp", "tuple.hpp", "iterator.hpp", "axis.hpp", "detail/iterator/", "detail/axis/", "detail/argument_types.hpp", "detail/arguments.hpp",
     "detail/forms.hpp",
     "detail/contract/extreme.hpp", "detail/contract/exact_terms.hpp", "detail/contract/exact_integers.hpp", "weights.hpp", "detail/contract/weights.hpp", "detail/contract/weighted_lines.hpp",
     "sized_on_device.hpp", "view.hpp", "detail/arrays.hpp", "detail/contract/selection.hpp"],
    ["variable_axis.hpp", "product_axis.hpp"],
    ["detail/channels.hpp"],
    ["detail/device/load/", "detail/device/store/"],
    ["detail/device/tree/"],
    ["detail/device/call/"],
    ["simt/launch.hpp", "simt/launcher.hpp"],
    ["detail/device/transform/"],
    ["detail/device/pass/"],
    ["detail/device/reduce/", "detail/device/scan/", "detail/device/histogram/", "detail/device/copy_if/",
     "detail/device/segmented/", "detail/device/by_key/", "detail/host/"],
    ["detail/device/exact/", "detail/device/extremes/", "detail/device/weighted/", "detail/device/ranks/",
     "detail/device/segmented_histogram/"],
    ["detail/device/along/", "detail/device/segmented_weighted/"],
    ["simt/calls.hpp"],
    ["reduce.hpp", "scan.hpp", "histogram.hpp", "extremes.hpp", "copy_if.hpp", "transform.hpp", "segmented.hpp",
     "weighted_histogram.hpp", "profile.hpp", "by_key.hpp", "segmented_scan.hpp",
     "unique_copy.hpp", "partition_copy.hpp", "run_length_encode.hpp", "segmented_extremes.hpp"],
    ["exact_plus.hpp", "reduce_along.hpp", "extremes_along.hpp", "scan_along.hpp", "segmented_histogram.hpp",
     "histogram_along.hpp", "segmented_weighted_histogram.hpp", "weighted_histogram_along.hpp"],
    ["profile_along.hpp", "segmented_profile.hpp"],
    ["detail/ranks/"],
    ["distributed.hpp", "mpi.hpp", "nccl.hpp"],
    ["slices.hpp"],
    ["parprims.hpp"],
]

# Rooms of one layer do not include each other's files: what two of them need lies in a layer below both.
ROOM = re.compile(r"detail/device/\w+/")
BETWEEN_ROOMS = {  # still there
    ("detail/device/ranks/", "detail/device/weighted/"),
}

# What a file with one call includes, or parprims.hpp, and the headers from outside that these may read: those that cost nvcc next
# to nothing, and those that the interface names.
CALLS = ["reduce.hpp", "exact_plus.hpp", "reduce_along.hpp", "extremes_along.hpp", "scan_along.hpp", "scan.hpp", "histogram.hpp", "extremes.hpp", "copy_if.hpp", "transform.hpp", "segmented.hpp",
         "weighted_histogram.hpp", "profile.hpp", "by_key.hpp", "segmented_scan.hpp", "device_buffer.hpp", "pinned_buffer.hpp", "parprims.hpp",
         "unique_copy.hpp", "partition_copy.hpp", "run_length_encode.hpp", "segmented_extremes.hpp",
         "segmented_histogram.hpp", "histogram_along.hpp", "segmented_weighted_histogram.hpp", "weighted_histogram_along.hpp",
         "profile_along.hpp", "segmented_profile.hpp"]
LIGHT = {"array", "bit", "compare", "concepts", "cstddef", "cstdint", "cstring", "cuda_runtime_api.h", "initializer_list",
         "limits", "new", "type_traits", "utility"}
HEAVY_BY_INTERFACE = {
    "detail/axis/base.hpp": {"optional"},  # axis.index() returns one
    "detail/axis/edge_table.hpp": {"vector"},  # for variable_axis.hpp alone
    "detail/buffer.hpp": {"span", "vector"},  # to_host() returns a vector
    "detail/runtime/runtime.hpp": {"optional"},
    "detail/simt/hip.hpp": {"hip/hip_runtime.h"},  # not in a file that nvcc or g++ compiles
    "device.hpp": {"string"},
    "device_buffer.hpp": {"span", "vector"},
    "error.hpp": {"stdexcept", "string", "string_view", "system_error"},
    "launch_config.hpp": {"string"},
    "pinned_buffer.hpp": {"vector"},
    "product_axis.hpp": {"optional"},  # as above
    "variable_axis.hpp": {"string", "vector"},
}
NOT_IN_A_CALL = "detail/executor/"  # kernels compiled as plain C++, which tests do
HEADER_ONLY = re.compile(r"#if defined\(PARPRIMS_HEADER_ONLY\)\n(?:#include .*\n)+#endif")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INTRINSIC = re.compile(  # but not as a field: cudaLaunchConfig_t has a gridDim
    r"(?<![.\w])(threadIdx|blockIdx|blockDim|gridDim|warpSize|__activemask|cooperative_groups"
    r"|__(?:shfl|match|reduce)_\w+|__(?:any|all|ballot)(?:_sync)?|__sync(?:threads|warp)\w*|__threadfence\w*"
    r"|__(?:popc|clz|ffs|brev)(?:ll)?|__(?:ld|st)(?:g|cg|cs|ca|lu|cv|wb|wt)|__nanosleep|__cvta_\w+|__pipeline_\w+"
    r"|__[fd](?:add|sub|mul|ma)f?_r[nzud]|__(?:fma|fmaf)_r[nzud]|__h(?:add|sub|mul)2?_rn|__umul(?:64)?hi"
    r"|__hip_\w+|__builtin_(?:amdgcn|nontemporal)_\w+"
    r"|__dp[24]a\w*|__byte_perm|__funnelshift_\w+|__v(?:add|sub|abs|max|min|avg|cmp|set)\w*[1-4]"
    r"|atomic(?:Add|Sub|Exch|CAS|Min|Max|And|Or|Xor|Inc|Dec)\w*)\b")
ASSEMBLY = re.compile(r"\basm\b")


def layer_of(name):
    for rank, members in enumerate(LAYERS):
        if any(name == member or member.endswith("/") and name.startswith(member) for member in members):
            return rank
    return None


def is_own_implementation(name, included):
    """error.hpp includes detail/runtime/error.inl.hpp in a header-only build, and that includes error.hpp."""
    first, second = (pathlib.PurePath(each).name for each in (name, included))
    return first.removesuffix(".hpp") + ".inl.hpp" == second or second.removesuffix(".hpp") + ".inl.hpp" == first


def closure(name, includes):
    seen, pending = set(), [name]
    while pending:
        for included in includes.get(pending.pop(), []):
            if included not in seen:
                seen.add(included)
                pending.append(included)
    return seen


def check(root):
    """The faults of a tree, as lines."""
    faults = []
    headers = root / "include" / "parprims"
    files = [path for folder in ("include", "lib") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".hpp", ".cpp", ".cu")]
    if not any(headers in path.parents for path in files):
        faults.append(f"{headers}: no header found")
    includes, read_by_call = {}, {}
    for path in files:
        text = path.read_text()
        where = path.relative_to(root).as_posix()
        named = INCLUDE.findall(text)
        code = COMMENTS_AND_STRINGS.sub(" ", text)

        faults += [f"{where}: includes {name}: CUB and Thrust are for tests and benches" for name in named
                   if name.startswith(("cub/", "thrust/"))]
        if not where.startswith(("include/parprims/detail/simt/", "include/parprims/detail/numeric/",
                                 "include/parprims/detail/executor/", "lib/executor/")):
            faults += [f"{where}: names {word}: CUDA intrinsics belong in detail/simt"
                       for word in sorted(set(INTRINSIC.findall(code)))]
            if not where.startswith("include/parprims/detail/host/") and ASSEMBLY.search(code):
                faults.append(f"{where}: assembly belongs in detail/simt")

        if headers not in path.parents:
            continue
        name = path.relative_to(headers).as_posix()
        rank = layer_of(name)
        if rank is None:
            faults.append(f"{where}: is in no layer; give it one in tests/style/layering.py")
            continue
        ours = [include.removeprefix("parprims/") for include in named if include.startswith("parprims/")]
        includes[name] = ours
        read_by_call[name] = INCLUDE.findall(HEADER_ONLY.sub("", text))
        for included in ours:
            other = layer_of(included)
            if other is not None and other > rank and not is_own_implementation(name, included):
                faults.append(f"{where}: includes parprims/{included}, which is above it")
            rooms = [ROOM.match(each) for each in (name, included)]
            if other == rank and all(rooms):
                pair = rooms[0][0], rooms[1][0]
                if pair[0] != pair[1] and pair not in BETWEEN_ROOMS:
                    faults.append(f"{where}: includes parprims/{included}, which is in another room of its layer")
    for path in sorted((root / "samples").rglob("*.[hc][pu]*")):
        faults += [f"{path.relative_to(root)}: includes {name}: samples show the public headers"
                   for name in INCLUDE.findall(path.read_text()) if name.startswith("parprims/detail/")]
    for name in includes:
        for mine, other in (("detail/host/", "detail/device/"), ("detail/device/", "detail/host/")):
            if name.startswith(mine):
                faults += [f"include/parprims/{name}: reaches parprims/{included}: the backends do not know each other"
                           for included in sorted(closure(name, includes)) if included.startswith(other)]
    calls = closure_of_calls(read_by_call)
    for name in sorted(calls):
        heavy = {include for include in read_by_call.get(name, []) if not include.startswith("parprims/")}
        faults += [f"include/parprims/{name}: includes {include}: too much for every file with a call"
                   for include in sorted(heavy - LIGHT - HEAVY_BY_INTERFACE.get(name, set()))]
    return faults


def closure_of_calls(includes):
    """The headers that those of `CALLS` read, with CUDA or without, but not header-only."""
    seen, pending = set(), [name for name in CALLS if name in includes]
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            ours = [include.removeprefix("parprims/") for include in includes.get(name, []) if include.startswith("parprims/")]
            pending += [each for each in ours if not each.startswith(NOT_IN_A_CALL)]
    return seen


KNOWN_BAD = [  # file, text, what the fault must say
    ("include/parprims/error.hpp", "#include <parprims/stream.hpp>\n", "which is above it"),
    ("include/parprims/detail/device/tree/scan.hpp", "#include <parprims/detail/device/reduce/dispatch.hpp>\n", "which is above it"),
    ("include/parprims/detail/device/reduce/kernel.hpp", "#include <parprims/detail/device/scan/work.hpp>\n", "another room"),
    ("include/parprims/stray.hpp", "\n", "is in no layer"),
    ("include/parprims/detail/device/reduce/kernel.hpp", "int i = threadIdx.x;\n", "names threadIdx"),
    ("include/parprims/detail/device/tree/fold.hpp", "x = __shfl_xor_sync(m, x, 1);\n", "names __shfl_xor_sync"),
    ("include/parprims/detail/device/tree/count.hpp", "atomicAdd(p, 1);\n", "names atomicAdd"),
    ("include/parprims/detail/device/scan/words.hpp", "x = __vadd2(a, b);\n", "names __vadd2"),
    ("lib/instances/reduce.cu", "void f() { asm volatile(\"\"); }\n", "assembly"),
    ("lib/instances/scan.cu", "#include <cub/cub.cuh>\n", "CUB and Thrust"),
    ("include/parprims/scan.hpp", "#include \"thrust/scan.h\"\n", "CUB and Thrust"),
    ("include/parprims/detail/host/scan.hpp", "#include <parprims/detail/device/call/config_checks.hpp>\n", "the backends do not"),
    ("include/parprims/histogram.hpp", "#include <cstddef>\n#include <string>\n", "includes string: too much"),
    ("include/parprims/detail/contract/order.hpp", "#include <vector>\n", "includes vector: too much"),
    ("include/parprims/stream.hpp", "#include <chrono>\n", "includes chrono: too much"),
    ("samples/ladder/gpu.cu", "#include <parprims/detail/simt/simt.hpp>\n", "samples show the public headers"),
]
KNOWN_GOOD = {
    "include/parprims/config.hpp": "// threadIdx, atomicAdd in a comment\n#define X \"__syncthreads\"\n",
    "include/parprims/error.hpp": "#include <parprims/config.hpp>\n#include <parprims/detail/runtime/error.inl.hpp>\n",
    "include/parprims/detail/runtime/error.inl.hpp": "#include <parprims/error.hpp>\n",
    "include/parprims/reduce.hpp":
        "#include <parprims/detail/contract/order.hpp>\n#include <parprims/detail/runtime/call.hpp>\n#include <cstddef>\n",
    "include/parprims/detail/runtime/call.hpp":
        "#if defined(PARPRIMS_HEADER_ONLY)\n#include <parprims/detail/runtime/call.inl.hpp>\n#endif\n",
    "include/parprims/detail/runtime/call.inl.hpp": "#include <string>\n",
    "include/parprims/parprims.hpp": "#include <parprims/stream.hpp>\n#include <parprims/error.hpp>\n",
    "include/parprims/stream.hpp": "#include <utility>\n",
    "include/parprims/detail/simt/cuda.hpp": "int i = threadIdx.x;\n",
    "samples/exercises/support/trial.hpp": "#include <parprims/simt/simt.hpp>\n",
    "include/parprims/detail/device/call/plan.hpp": "#include <parprims/detail/simt/cuda.hpp>\nint i = c.gridDim.x;\n",
}


def self_test():
    def faults_of(files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(pathlib.Path(folder))

    assert faults_of(KNOWN_GOOD) == [], faults_of(KNOWN_GOOD)
    assert faults_of({"lib/a.cpp": ""}), "an empty tree passes"
    for name, text, expected in KNOWN_BAD:
        faults = faults_of({**KNOWN_GOOD, name: text})
        assert any(name in fault and expected in fault for fault in faults), (name, expected, faults)
    print(f"{len(KNOWN_BAD)} known-bad files are found")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        found = check(pathlib.Path(sys.argv[1]))
        print(*found, sep="\n")
        sys.exit(1 if found else 0)
