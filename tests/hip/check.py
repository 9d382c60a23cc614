#!/usr/bin/env python3
"""What clang makes of the kernels for AMD's GPUs: they compile without a warning, and registers, spills and private memory stay below
a ceiling. Needs no GPU, but hipcc.

usage: check.py ROOT ARCHITECTURE   the library's kernels, as a table
       check.py ROOT --ladder       tests/hip/ladder.hip, compiled, linked, and run where there is an AMD GPU; its vector
                                    instructions, from which `reduction_ladder --wavefronts` takes an average
       check.py --self-test

Exits with 77 where there is no hipcc.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FIELDS = {"vgpr_count": "vector registers", "vgpr_spill_count": "spilled", "sgpr_spill_count": "scalars in vector registers",
          "private_segment_fixed_size": "private bytes"}
# Somewhat more than today. A SIMD of gfx90a has 512 vector registers for each lane: 200 leave room for two wavefronts.
CEILINGS = {"vgpr_count": 200, "vgpr_spill_count": 0, "sgpr_spill_count": 450, "private_segment_fixed_size": 0}
# Arrays that a lane indexes by a variable.
PRIVATE_BYTES = {"run_result": 320, "finish_kernel": 160}
LEAST_KERNELS = {"gfx90a": 64, "gfx1030": 50}
ARCHITECTURES = list(LEAST_KERNELS)
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-cuda-compat", "-Wno-pass-failed",
            "-Wno-unused-command-line-argument"]  # a loop that is not unrolled shows in registers and private memory


def kernels_of(assembly):
    """Kernel to its numbers, from the metadata at the end of the assembly."""
    found = {}
    for entry in re.split(r"\n  - ", assembly[assembly.index("amdhsa.kernels:"):])[1:]:
        values = dict(re.findall(r"^\s*\.(\w+): +'?([\w.$]+)", entry, re.MULTILINE))
        if "vgpr_count" in values:
            found[values["symbol"].removesuffix(".kd")] = {field: int(values[field]) for field in FIELDS}
    return found


def readable(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return [re.sub(r"(\w+::)*(run_kernel<)?parprims::detail::(device::)?", "", line.removeprefix("void "))
            for line in text.splitlines()]


def faults_of(name, numbers):
    ceilings = CEILINGS | {"private_segment_fixed_size": max((most for word, most in PRIVATE_BYTES.items() if word in name),
                                                             default=0)}
    return [f"{name}: {numbers[field]} {what}, at most {ceilings[field]} wanted" for field, what in FIELDS.items()
            if numbers[field] > ceilings[field]]


def compile_with(root, more):
    return subprocess.run(["hipcc", "-O3", "-std=c++20", "-DPARPRIMS_HEADER_ONLY", f"-I{root / 'include'}", f"-I{root / 'samples'}",
                           *WARNINGS, *more]).returncode == 0


def check_kernels(root, architecture):
    with tempfile.TemporaryDirectory() as folder:
        assembly = pathlib.Path(folder) / "kernels.s"
        if not compile_with(root, ["--cuda-device-only", f"--offload-arch={architecture}", "-S", "-o", assembly,
                                   root / "tests/hip/kernels.hip"]):
            return [f"the kernels do not compile for {architecture}"]
        kernels = kernels_of(assembly.read_text())
    faults = [] if len(kernels) >= LEAST_KERNELS[architecture] else [f"only {len(kernels)} kernels"]
    print("  ".join(FIELDS.values()))
    for name, numbers in zip(readable(kernels), kernels.values()):
        print("  ".join(f"{numbers[field]:>{len(what)}}" for field, what in FIELDS.items()), f" {name[:100]}")
        faults += faults_of(name, numbers)
    return faults


def blocks_of(kernel):
    """Basic blocks of a kernel's assembly: (in the loop, vector instructions, accesses of shared memory)."""
    blocks = [[False, 0, 0]]
    for line in kernel.splitlines():
        if re.match(r"(\.LBB\S+|; %bb\.\d+):", line):
            blocks.append(["Loop" in line, 0, 0])
        blocks[-1][1] += bool(re.match(r"\s+v_", line))
        blocks[-1][2] += bool(re.match(r"\s+ds_", line))
    return blocks


def vector_instructions(kernel):
    """Of a kernel with a loop of additions in shared memory: once, in each round, for an addition, for the block's sum."""
    blocks = blocks_of(kernel)
    last = next(block for block in reversed(blocks) if not block[0] and block[2])
    outside = [block for block in blocks if not block[0] and block is not last]
    return (sum(block[1] for block in outside), sum(block[1] for block in blocks if block[0] and not block[2]),
            sum(block[1] for block in blocks if block[0] and block[2]), last[1])


def active_lanes(step, once, each_round, addition, last):
    """Of a block of 512: on average over vector instructions. The lanes that add are counted by hand."""
    lanes = [256 >> k for k in range(9)]
    wavefronts = [8, 8, 8, 8, 8, 8, 4, 2, 1] if step == 1 else [max(count // 64, 1) for count in lanes]
    by_all = 8 * (once + 9 * each_round)
    return (64 * by_all + addition * sum(lanes) + last) / (by_all + addition * sum(wavefronts) + last)


def check_instructions(root, folder):
    """The numbers in wavefronts.cpp are clang 15's, and the published figures follow from the textbook's kernels."""
    version = subprocess.run(["hipcc", "--version"], capture_output=True, text=True).stdout
    if "clang version 15." not in version:
        print("vector instructions: not compared, as this is not clang 15:", version)
        return []

    def kernels_in(source):
        assembly = folder / "kernels.s"
        assert compile_with(root, ["--cuda-device-only", "--offload-arch=gfx90a", "-Wno-sign-compare", "-S", "-o", assembly, root / source])
        text = assembly.read_text()
        return {match[1]: match[2] for match in re.finditer(r"^(_Z\w+):(.*?)^\.Lfunc_end", text, re.MULTILINE | re.DOTALL)}

    source = (root / "samples/reduction_ladder/wavefronts.cpp").read_text()
    written = [tuple(map(int, numbers)) for numbers in re.findall(r"\{(\d+), (\d+), (\d+), (\d+)\}", source)]
    kernels = kernels_in("tests/hip/ladder.hip")
    found = [vector_instructions(next(text for name, text in kernels.items() if word in name))
             for word in ("divergent_kernel", "bank_conflict_kernel", "sequential_kernel")]
    textbook = {tuple(re.search(r"textbookILi(\d)E(\w)E", name).groups()): vector_instructions(text)
                for name, text in kernels_in("tests/hip/textbook.hip").items()}
    lanes = {(int(step), position): round(active_lanes(int(step), *numbers), 2) for (step, position), numbers in textbook.items()}
    print("vector instructions of steps 1 to 3:", found, "; lanes of the textbook's:", lanes)
    faults = [] if found == written else [f"wavefronts.cpp says {written}, clang makes {found}"]
    wanted = {(1, "i"): 45.85, (1, "m"): 46.27, (2, "i"): 60.11, (2, "m"): 60.23}  # by type of the position: int, size_t
    return faults + ([] if lanes == wanted else [f"the textbook's kernels have {lanes} active lanes, not {wanted}"])


def check_ladder(root):
    with tempfile.TemporaryDirectory() as folder:
        faults = check_instructions(root, pathlib.Path(folder))
        program = pathlib.Path(folder) / "ladder"
        if not compile_with(root, [*(f"--offload-arch={each}" for each in ARCHITECTURES), "-o", program,
                                   root / "tests/hip/ladder.hip"]):
            return ["the ladder does not compile"]
        run = subprocess.run([program, "24"], capture_output=True, text=True)
    print(run.stdout, run.stderr)
    return faults + ([] if run.returncode in (0, 77) else ["the ladder is wrong"])


def self_test():
    entry = "\n  - .agpr_count:     0\n    .private_segment_fixed_size: {}\n    .sgpr_spill_count: 3\n    .symbol:         {}.kd\n" \
            "    .vgpr_count:     {}\n    .vgpr_spill_count: {}"
    text = "x\namdhsa.kernels:" + entry.format(0, "a", 80, 0) + entry.format(24, "b", 256, 2)
    kernels = kernels_of(text)
    assert kernels["a"] == {"vgpr_count": 80, "vgpr_spill_count": 0, "sgpr_spill_count": 3, "private_segment_fixed_size": 0}
    assert faults_of("a", kernels["a"]) == []
    assert len(faults_of("b", kernels["b"])) == 3
    assert len(faults_of("weighted_finish_kernel", kernels["b"])) == 2


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if shutil.which("hipcc") is None:
        print("skipped: no hipcc")
        return 77
    root = pathlib.Path(arguments[0])
    faults = check_ladder(root) if arguments[1] == "--ladder" else check_kernels(root, arguments[1])
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
