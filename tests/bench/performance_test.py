"""The self-test of performance.py: made-up figures become a page and plots; known-bad input is refused."""
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree

import performance

HEAD = {"format": "parprims bench 1", "card": "", "driver": "", "cuda": "13.0", "cpu": "a CPU", "compiler": "g++",
        "beside": "CUB 3.0", "date": "2000-01-01", "commit": "0000000", "command": "made up", "failures": []}


SEGMENTS = ("2 each", "16777216 each", "1 to 64", "Zipf to 2^24", "one of half")


def row(work, kind, n, variant="", how=None, reference="CUB", ratio=2.0, **more):
    us = 1 + n * 4 / 4.6e6
    return {"work": work, "type": kind, "variant": variant, "how": how or ("graph" if n <= 2**24 else "stream"), "n": n,
            "bytes": 4.0 * n, "us": us, "gbps": 4e-3 * n / us, "right": True, "reference": reference,
            "reference_us": us * ratio, "ratio": ratio} | more


def device():
    sizes, rows = [2**k for k in range(8, 31)], []
    for n in sizes:
        for kind in ("read", "copy"):
            limit = row(f"limit: {kind}", "f32", n)
            rows.append({key: value for key, value in limit.items() if key not in ("reference", "reference_us", "ratio")})
        for work in ("reduce", "inclusive_scan"):
            rows += [row(work, kind, n, ratio=1 + math.sin(n)**2) for kind in ("i32", "f32")]
            rows.append(row(work, "f32", n, how="end to end", reference="Thrust"))
        rows.append(row("histogram", "u32", n, bins=256, spread="uniform"))
    rows += [row("histogram", "u32", performance.LARGE, bins=bins, spread=spread) for bins in performance.BINS
             for spread in performance.SPREADS]
    rows += [row("histogram", "u32", performance.ODD, bins=bins, spread=spread) for bins in performance.ODD_BINS
             for spread in performance.ALL_SPREADS]
    rows.append(row("reduce", "f32", performance.LARGE, variant="misaligned by one", reference="aligned"))
    rows += [row(work, kind, performance.LARGE, variant=variant, how="stream", ratio=3.0, gbps=3500.0)
             for work, kind, variants in (("segmented_reduce", "i32", SEGMENTS), ("segmented_inclusive_scan", "i32", SEGMENTS),
                                          ("reduce_by_key", "i32/f32", ("runs of 2", "runs of 17")), ("copy_if", "i32", ("half kept",)))
             for variant in variants]
    rows.append(row("reduce_by_key", "i32/f32", 3_000_000, variant="one run", ratio=1.05))
    rows += [row("exact sum", "f32", n, reference="plus", ratio=0.9) for n in (2**10, performance.LARGE)]
    rows += [row(work, "f32", performance.LARGE, bins=bins, spread=spread, reference=None if spread == "Zipf" else "atomics")
             for work, all_bins in (("histogram of pairs", (4096, 65536)), ("weighted_histogram", (1024, 16384)),
                                    ("profile", (256,)))
             for bins in all_bins for spread in ("uniform", "constant", "Zipf")]
    rows.append(row("profile", "f32", performance.LARGE, variant="the bound", reference="size from the host"))  # has no spread
    rows += [row("inclusive_scan", "f32", n, variant=f"from {places}", ratio=ratio) for n in (100_003, 300_000_017)
             for places, ratio in (("0 to 0", 1.6), ("1 to 3", 1.5))]
    rows[-1]["us"] *= 2
    rows += [row("reduce", "40-byte struct", n, ratio=0.96 if n == 2**24 else 1.1) for n in (2**20, 2**24)]
    rows += [row("channel_histograms", "u8", 2**31, bins=256, spread=spread, variant="4 of 4 channels", how="stream", ratio=ratio)
             for spread, ratio in (("uniform", 2.0), ("Zipf", 1.2))]
    rows += [row("inclusive_scan along a dimension", "f32", performance.LARGE, variant=f"16384 x 16384, {lines}", how="stream",
                 reference="inclusive_scan") for lines in ("columns", "rows")]
    rows += [row("matrix product", "f32", 4096, how="stream", variant=variant, reference="cuBLAS", tflops=1.0)
             for variant in ("naive, global memory", "tiled 32, shared memory", "tiled 128, registers")]
    rows.append({"work": "limit: launch and synchronise", "type": "", "variant": "", "how": "end to end", "n": 0, "us": 9.8,
                 "right": True})
    return HEAD | {"bench": "device", "card": "a <card> & more", "driver": "1", "rows": rows}


def host():
    return [row("reduce", "f32", 2**20, reference="TBB"),
            row("weighted_histogram", "f32", 2**20, bins=1024, spread="uniform", reference="Boost.Histogram, private copies",
                ratio=1.5)]


def compile_time():
    rows = [{"work": work, "type": "", "library": library, "variant": "", "how": "nvcc", "n": 0, "us": 4e6, "wall_us": 5e6,
             "right": True} for library in ("parprims", "CUB") for work in ("reduce", "histogram")]
    rows[0] |= {"part": 1.0, "target": 0.4, "holds": False}
    return HEAD | {"bench": "compile_time", "rows": rows}


def check_targets(rows):
    """The made-up rows reach some targets and miss others, and an input that was not measured shows as such."""
    said = {line.split(" | ")[0][2:]: line.split(" | ")[2:] for line in rows.splitlines()}
    for work, value, reached in (("segmented_reduce i32 and f32, 2 to 2^24 each, beside CUB", "3.00", "yes"),
                                 ("segmented_reduce i32, three kinds of lengths: the slowest beside the fastest", "1.00", "yes"),
                                 ("segmented_inclusive_scan i32, three kinds of lengths, of the floor", "0.76", "yes"),
                                 ("reduce_by_key i32/f32, runs of 2, 2^28, beside CUB", "3.00", "yes"),
                                 ("reduce_by_key, every pair of types and length of runs, 3·10^6 and more, beside CUB", "1.05", "**no**"),
                                 ("segmented_reduce f64, lengths of 0 to 4095, beside CUB", "-", ""),
                                 ("scan of 4- and 8-byte types from any place to any place, beside aligned pointers", "0.50", "**no**"),
                                 ("the same, 2^28 bytes and more, of the read limit", "-", ""),
                                 ("scan from any place to any place, beside CUB", "1.50", "yes"),
                                 ("reduce of 12-, 40- and 64-byte structs, every size, beside CUB", "0.96", "**no**"),
                                 ("channel_histograms, 3 and 4 channels of bytes, every spread, beside CUB", "1.20", "**no**"),
                                 ("inclusive_scan of columns and rows, 16384 × 16384 f32, of the copy limit", "1.00", "yes"),
                                 ("segmented_histogram f32, 65536 each, 256 bins, every spread, of the read limit", "-", ""),
                                 ("copy_if i8, half kept, 2^28, beside CUB", "-", ""),
                                 ("min_element i8, 2^28, µs", "-", ""),
                                 ("weighted_histogram f32, 16384 bins: the slowest spread beside uniform", "1.00", "yes"),
                                 ("profile f32, 256 bins, every spread, of the read limit", "1.00", "yes"),
                                 ("histogram of pairs, u8 and f32, 64 × 64 to 256 × 256, of the read limit", "1.00", "yes")):
        assert said[work] == [value, f"{reached} |"], f"{work}: {said[work]}"


def refused(folder, what):
    (folder / "device_bench.json").write_text(json.dumps(what))
    try:
        performance.load(folder)
    except SystemExit:
        return True
    return False


def run():
    if performance.plot.matplotlib is None:
        print(f"skipped: {performance.plot.NEEDS.format(sys.executable)}")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = folder / "performance-tables.md"
        shutil.copy(performance.ROOT / "docs" / page.name, page)
        made = {"device_bench": device(), "other_card": device(), "compile_time": compile_time(),
                "host_bench": HEAD | {"bench": "host", "rows": host()}}
        for file, content in made.items():
            (folder / f"{file}.json").write_text(json.dumps(content))
        performance.write(performance.load(folder), page, folder / "plots")
        text = page.read_text()
        for_users = (performance.ROOT / "docs" / "performance.md").read_text()
        for table in performance.TABLES:
            body = re.search(rf"<!-- table {table} -->\n(.*?)<!-- end -->", text, re.DOTALL)[1].splitlines()
            assert len(body) > 2 and len({line.count("|") for line in body}) == 1, f"table {table} is empty or ragged"
        for plot in performance.PLOTS:
            picture = xml.etree.ElementTree.parse(folder / "plots" / f"{plot}.svg").getroot()
            words = " ".join("".join(each.itertext()) for each in picture.iter() if each.tag.endswith("}text"))
            assert "2000-01-01, commit 0000000" in words, f"plot {plot} does not say where its figures come from"
            assert f"plots/{plot}.svg" in text + for_users, f"plot {plot} is on no page"
        for name, (file, make) in performance.PLOTS.items():
            (axes,) = make(performance.Bench(folder / f"{file}.json")).axes
            drawn = axes.patches + [line for line in axes.lines if line.get_label()[0] != "_"]
            assert len(drawn) > 1 and all(each in axes.patches or len(each.get_xdata()) > 1 for each in drawn), \
                f"plot {name} shows nothing"
        check_targets(performance.table_targets(performance.Bench(folder / "device_bench.json")))
        assert "| f32 | 1.00 (1.50) | 0.50 (1.50) |" in text, "a misaligned scan is not set beside the aligned one"
        assert "| ≥ 2 | **no** |" in text, "a target of the host is not judged"
        assert "a <card> & more" in text and text.count("made up") == 4, "a number does not say where it comes from"
        (folder / "device_bench.json").write_text(json.dumps(device() | {"complete": False}))
        assert performance.load(folder)["device_bench"].source().endswith("cut short**"), "a part is taken for the whole"
        wrong = device()
        wrong["rows"][0]["right"] = False
        assert refused(folder, wrong), "a wrong result was taken"
        assert refused(folder, device() | {"failures": ["out of memory"]}), "a failed run was taken"
        assert refused(folder, {"format": "other", "rows": []}), "another format was taken"
    print("performance.py: made-up figures become a page and well-formed plots; bad ones are refused")
    return 0
