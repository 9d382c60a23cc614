#!/usr/bin/env python3
"""Measures how long nvcc works on a file with one call: of parprims, of CUB and Thrust, and on one with an empty kernel.

usage: compile_time.py [--nvcc NVCC] [--turns N] [--only NAME,...] [--explain] [--json FILE]

The files take turns, one at a time. What counts is processor time (user and system, of nvcc and all it starts), because
other programs on the machine change it little; the time by the clock stands beside it. --explain shows instead where the
time of each goes: lines and headers read, and the processor time of each pass of nvcc.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "samples"))
sys.dont_write_bytecode = True
from support import files as checked_files  # noqa: E402

FLAGS = ["-arch=sm_90", "-std=c++20", "-c"]
TARGETS = {"reduce": 0.40, "inclusive_scan": 0.40, "histogram": 0.45, "segmented_reduce": 0.50, "reduce_by_key": 0.50,
           "min_element": 0.50, "copy_if": 0.50}

EMPTY = "__global__ void nothing() {}\nvoid call() { nothing<<<1, 1>>>(); }\n"
PARPRIMS = {
    "reduce": """#include <parprims/reduce.hpp>
float call(const float* x, std::size_t n) { return parprims::reduce(parprims::device, x, x + n, 0.0f); }
""",
    "inclusive_scan": """#include <parprims/scan.hpp>
void call(const float* x, std::size_t n, float* y) { parprims::inclusive_scan(parprims::device, x, x + n, y); }
""",
    "histogram": """#include <parprims/histogram.hpp>
void call(const float* x, std::size_t n, std::uint32_t* counts)
{
    parprims::histogram(parprims::device, x, x + n, parprims::regular_axis(256, 0.0f, 1.0f), counts);
}
""",
    "segmented_reduce": """#include <parprims/segmented.hpp>
void call(const float* x, std::size_t n, const int* offsets, std::size_t count, float* y)
{
    parprims::segmented_reduce(parprims::device, x, x + n, offsets, offsets + count + 1, y, 0.0f);
}
""",
    "reduce_by_key": """#include <parprims/by_key.hpp>
void call(const int* keys, const float* x, std::size_t n, int* unique, float* y, std::size_t* count)
{
    parprims::reduce_by_key_into(parprims::device, keys, keys + n, x, unique, y, count);
}
""",
    "min_element": """#include <parprims/extremes.hpp>
void call(const float* x, std::size_t n, std::size_t* place)
{
    parprims::min_element_into(parprims::device, x, x + n, place);
}
""",
    "copy_if": """#include <parprims/copy_if.hpp>
struct is_low { __host__ __device__ bool operator()(float x) const { return x < 0; } };
void call(const float* x, std::size_t n, float* y, std::size_t* count)
{
    parprims::copy_if_into(parprims::device, x, x + n, y, count, is_low{});
}
""",
}
CUB = {
    "reduce": """#include <cub/device/device_reduce.cuh>
void call(void* scratch, std::size_t& bytes, const float* x, std::size_t n, float* y)
{
    cub::DeviceReduce::Sum(scratch, bytes, x, y, n);
}
""",
    "inclusive_scan": """#include <cub/device/device_scan.cuh>
void call(void* scratch, std::size_t& bytes, const float* x, std::size_t n, float* y)
{
    cub::DeviceScan::InclusiveSum(scratch, bytes, x, y, n);
}
""",
    "histogram": """#include <cub/device/device_histogram.cuh>
void call(void* scratch, std::size_t& bytes, const float* x, int n, unsigned* counts)
{
    cub::DeviceHistogram::HistogramEven(scratch, bytes, x, counts, 257, 0.0f, 1.0f, n);
}
""",
    "segmented_reduce": """#include <cub/device/device_segmented_reduce.cuh>
void call(void* scratch, std::size_t& bytes, const float* x, const int* offsets, std::size_t count, float* y)
{
    cub::DeviceSegmentedReduce::Sum(scratch, bytes, x, y, count, offsets, offsets + 1);
}
""",
    "reduce_by_key": """#include <cub/device/device_reduce.cuh>
void call(void* scratch, std::size_t& bytes, const int* keys, const float* x, int n, int* unique, float* y, int* count)
{
    cub::DeviceReduce::ReduceByKey(scratch, bytes, keys, unique, x, y, count, ::cuda::std::plus<>{}, n);
}
""",
    "min_element": """#include <cub/device/device_reduce.cuh>
void call(void* scratch, std::size_t& bytes, const float* x, std::size_t n, float* y, long long* place)
{
    cub::DeviceReduce::ArgMin(scratch, bytes, x, y, place, static_cast<std::int64_t>(n));
}
""",
    "copy_if": """#include <cub/device/device_select.cuh>
struct is_low { __host__ __device__ bool operator()(float x) const { return x < 0; } };
void call(void* scratch, std::size_t& bytes, const float* x, std::size_t n, float* y, int* count)
{
    cub::DeviceSelect::If(scratch, bytes, x, y, count, n, is_low{});
}
""",
}
THRUST = """#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
float call(const float* x, std::size_t n) { return thrust::reduce(thrust::device, x, x + n, 0.0f); }
"""


def files():
    """Name, text and more flags of each file."""
    ours = ["-I", str(ROOT / "include"), "-DPARPRIMS_HAS_CUDA=1"]
    result = [("empty kernel", EMPTY, [])]
    for work in PARPRIMS:
        result += [(f"parprims {work}", PARPRIMS[work], ours),
                   (f"parprims {work}, header-only", PARPRIMS[work], [*ours, "-DPARPRIMS_HEADER_ONLY=1"]),
                   (f"CUB {work}", CUB[work], [])]
    return [*result, ("Thrust reduce", THRUST, [])]


def run_timed(command):
    """Processor seconds and seconds by the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return ""


def head(nvcc):
    """What every bench says of itself (report.cpp)."""
    version = re.search(r"release (\S+),", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout)
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"format": "parprims bench 1", "bench": "compile_time", "card": "", "driver": "",
            "cuda": version[1] if version else "",
            "cpu": f"{cpu[1] if cpu else 'CPU'}, {os.cpu_count()} threads", "compiler": first_line("g++", "--version"),
            "beside": "CUB and Thrust of the same toolkit",
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "commit": first_line("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*") or "unknown",
            "command": " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]])}


def row(name, cpu, wall):
    library, _, work = name.partition(" ")
    work, _, variant = work.partition(", ")
    middle = statistics.median(cpu[name])
    result = {"work": work, "type": "", "library": library, "variant": variant, "how": "processor time of nvcc", "n": 0,
              "us": middle * 1e6, "wall_us": statistics.median(wall[name]) * 1e6, "right": True}
    if library == "parprims" and f"CUB {work}" in cpu:
        theirs = statistics.median(cpu[f"CUB {work}"])
        result |= {"reference": "CUB", "reference_us": theirs * 1e6, "ratio": theirs / middle, "part": middle / theirs,
                   "target": TARGETS[work], "holds": middle / theirs <= TARGETS[work]}
    return result


def measure(nvcc, chosen, turns, folder):
    cpu, wall = {name: [] for name, _, _ in chosen}, {name: [] for name, _, _ in chosen}
    for turn in range(turns):
        for name, text, flags in chosen:
            source = folder / "call.cu"
            source.write_text(text)
            seconds = run_timed([nvcc, *FLAGS, *flags, str(source), "-o", str(folder / "call.o")])
            cpu[name].append(seconds[0])
            wall[name].append(seconds[1])
            print(f"turn {turn + 1} of {turns}: {name:<36} {seconds[0]:6.2f} s, {seconds[1]:6.2f} s by the clock",
                  file=sys.stderr, flush=True)
    return [row(name, cpu, wall) for name, _, _ in chosen]


def show(rows):
    print(f"{'':<36} {'processor s':>11} {'clock s':>8} {'of CUB':>7} {'target':>7}")
    for each in rows:
        name = f"{each['library']} {each['work']}" + (f", {each['variant']}" if each["variant"] else "")
        beside = f"{each['part']:7.2f} {each['target']:7.2f}  {'ok' if each['holds'] else 'MISSED'}" if "part" in each else ""
        print(f"{name:<36} {each['us'] / 1e6:11.2f} {each['wall_us'] / 1e6:8.2f} {beside}")


def explain(nvcc, chosen, folder):
    """Lines and headers that each file reads, and its passes: the commands that nvcc would run, timed one by one."""
    for name, text, flags in chosen:
        source, target = folder / "call.cu", folder / "call.o"
        source.write_text(text)
        arguments = [*FLAGS, *flags, str(source), "-o", str(target), "--keep", "--keep-dir", str(folder)]
        run_timed([nvcc, *arguments])
        lines = {kind: sum(1 for line in next(folder.glob(pattern)).open(errors="replace") if not line.startswith("#"))
                 for kind, pattern in (("device", "call*.cpp1.ii"), ("host", "call*.cpp4.ii"))}
        headers = subprocess.run([nvcc, *FLAGS[:2], *flags, "-M", str(source)], capture_output=True, text=True).stdout
        dry = subprocess.run([nvcc, *arguments, "--dryrun"], capture_output=True, text=True).stderr
        settings, passes = dict(os.environ), []
        for line in dry.splitlines():
            command = line.removeprefix("#$ ")
            if re.match(r"^[A-Za-z_]+=", command):
                key, _, value = command.partition("=")
                settings[key] = value.strip()
            elif not command.startswith("rm "):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(command, shell=True, env=settings, check=True, capture_output=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                words = re.sub(r'"[^"]*/|"', "", command).split()
                program = next(word for word in words if "=" not in word)
                kind = " -E" if " -E " in command else ""
                passes.append((program + kind,
                               after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        print(f"{name}: {headers.count(chr(10))} headers, lines {lines['device']} device, {lines['host']} host; "
              + ", ".join(f"{program} {seconds:.2f}" for program, seconds in passes if seconds >= 0.02), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", help="words, with commas between: files whose names have one of them")
    parser.add_argument("--explain", action="store_true", help="where the time goes")
    parser.add_argument("--json", metavar="FILE")
    asked = parser.parse_args()
    if asked.json is not None:
        checked_files.check([], [asked.json])  # before minutes of compiling
    chosen = [each for each in files()
              if asked.only is None or any(word in each[0] for word in asked.only.split(","))]
    with tempfile.TemporaryDirectory() as folder:
        if asked.explain:
            explain(asked.nvcc, chosen, pathlib.Path(folder))
            return 0
        rows = measure(asked.nvcc, chosen, asked.turns, pathlib.Path(folder))
    show(rows)
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(head(asked.nvcc) | {"rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
