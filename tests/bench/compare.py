#!/usr/bin/env python3
"""Runs the benches of two builds in turns on one machine, and compares them row by row.

usage: compare.py PARENT NEW [--rounds N] [--out FOLDER] [--above N] [-- ARGUMENT...]
       compare.py --self-test

PARENT and NEW are two builds of device_bench (or of host_bench); ARGUMENTs go to both, as in `-- --only scan,by-key`. A row's
time is the least of its medians over the rounds. Prints each row whose time changed by more than 3 %, and for each algorithm
the geometric mean of the parent's time over that of the new build. A change of the library's inside has to keep

* the mean of each algorithm above 0.97,
* each row of --above (default: 65536) elements and more above 0.92,
* each row that was ahead of its reference ahead of it, but for 2 % of noise.

Prints what does not hold and exits with 1 if there is any; with 2 if a bench failed or had a wrong result. FOLDER gets the JSON of each
run, and compare.json: for each row both times and both ratios to the reference.
"""
import argparse
import json
import math
import pathlib
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from performance_rows import Bench  # noqa: E402

KEY = ("work", "type", "variant", "how", "bins", "spread", "reference", "n")
LEAST_MEAN, LEAST_ROW, REFERENCE_NOISE = 0.97, 0.92, 0.02


def run(program, arguments, path):
    """The rows of one run by key. None where the bench failed."""
    path.unlink(missing_ok=True)
    code = subprocess.run([program, *arguments, "--json", path], stdout=subprocess.DEVNULL).returncode
    if code != 0 or not path.exists():
        print(f"{program} ended with {code}")
        return None
    rows = Bench(path).rows
    wrong = [row for row in rows if not row["right"]]
    for row in wrong:
        print(f"{program}: wrong result: {name_of(row)}")
    return None if wrong else {tuple(row.get(key) for key in KEY): row for row in rows}


def least(runs):
    """The least times of several runs. The reference has its own least time."""
    rows = {}
    for found in runs:
        for key, row in found.items():
            known = rows.setdefault(key, dict(row))
            for field in ("us", "reference_us"):
                if field in row:
                    known[field] = min(known[field], row[field])
    return rows


def name_of(row):
    parts = [row["type"], row["variant"], f"{row['bins']} bins" if row.get("bins") else "", row.get("spread"), row["how"]]
    return f"{row['work']} {', '.join(filter(None, parts))}, n = {row['n']}"


def compared(parent, new):
    """Rows that both have."""
    return [{**{key: row.get(key) for key in KEY}, "parent_us": row["us"], "new_us": new[key]["us"],
             "ratio": row["us"] / new[key]["us"],
             **({"parent_ratio": row["reference_us"] / row["us"],
                 "new_ratio": new[key]["reference_us"] / new[key]["us"]} if "reference_us" in row else {})}
            for key, row in parent.items() if key in new]


def means(rows):
    works = dict.fromkeys(row["work"] for row in rows if not row["work"].startswith("limit"))
    return {work: math.exp(sum(map(math.log, ratios)) / len(ratios)) for work in works
            if (ratios := [row["ratio"] for row in rows if row["work"] == work])}


def faults(rows, above):
    found = [f"{work}: mean {mean:.3f}" for work, mean in means(rows).items() if mean < LEAST_MEAN]
    for row in rows:
        if row["work"].startswith("limit"):
            continue
        if row["n"] >= above and row["ratio"] < LEAST_ROW:
            found.append(f"{name_of(row)}: {row['ratio']:.3f} of the parent's speed")
        if row.get("parent_ratio", 0) >= 1 and row["new_ratio"] < 1 - REFERENCE_NOISE:
            found.append(f"{name_of(row)}: {row['new_ratio']:.3f} of {row['reference']}, was {row['parent_ratio']:.3f}")
    return found


def main(words):
    words, arguments = (words[:words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, [])
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("parent", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--above", type=int, default=2**16)
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as temporary:
        out = asked.out or pathlib.Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        runs = {"parent": [], "new": []}
        for turn in range(asked.rounds):
            for which, program in (("parent", asked.parent), ("new", asked.new)):
                rows = run(program.resolve(), arguments, out / f"{which}_{turn}.json")
                if rows is None:
                    return 2
                runs[which].append(rows)
        parent, new = least(runs["parent"]), least(runs["new"])
        rows = compared(parent, new)
        (out / "compare.json").write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} rows, {len(parent) - len(rows)} of the parent alone, {len(new) - len(rows)} new; "
          f"the parent's time over the new one, least of {asked.rounds} rounds:")
    for row in rows:
        if abs(math.log(row["ratio"])) > math.log(1.03):
            beside = f", {row['reference']} {row['parent_ratio']:.2f} -> {row['new_ratio']:.2f}" if "new_ratio" in row else ""
            print(f"  {row['ratio']:.3f}  {name_of(row)}: {row['parent_us']:.2f} -> {row['new_us']:.2f} us{beside}")
    for work, mean in means(rows).items():
        print(f"{work}: mean {mean:.3f}")
    found = faults(rows, asked.above)
    print("\n".join(["what does not hold:", *found]) if found else "all holds")
    return 1 if found or not rows else 0


FAKE = """#!{python}
import json, sys
rows = [{{"work": "scan", "type": "f32", "variant": "", "how": "graph", "n": n, "us": us, "right": {right}, "reference": "CUB",
         "reference_us": 10.0}} for n, us in {times}]
json.dump({{"format": "parprims bench 1", "rows": rows}}, open(sys.argv[sys.argv.index("--json") + 1], "w"))
"""


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        def program(name, times, right=True):
            path = pathlib.Path(folder) / name
            path.write_text(FAKE.format(python=sys.executable, times=times, right=right))
            path.chmod(path.stat().st_mode | stat.S_IEXEC)
            return str(path)

        sizes = (1024, 2**20, 2**24)
        parent = program("parent", list(zip(sizes, (5.0, 9.0, 9.5))))
        cases = [("same", (5.0, 9.0, 9.5), 0), ("a small row alone is slower", (5.5, 8.9, 9.4), 0),
                 ("a large row is slower", (4.0, 9.9, 9.0), 1), ("the mean is slower", (5.2, 9.4, 9.8), 1),
                 ("behind the reference", (4.0, 9.0, 10.3), 1)]
        for name, times, expected in cases:
            code = main([parent, program("new", list(zip(sizes, times))), "--rounds", "1", "--", "--only", "scan"])
            assert code == expected, f"{name}: {code}"
        assert main([parent, program("new", [(1024, 5.0)], right=False), "--rounds", "1"]) == 2
        assert main([parent, "/bin/false", "--rounds", "1"]) == 2
    print("compare.py: self-test passed")
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(sys.argv[1:]))
