#!/usr/bin/env python3
"""A bench that is killed leaves the rows it has measured, in a file that performance.py reads as one cut short.

usage: killed_test.py HOST_BENCH
"""
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from performance_rows import Bench  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "host_bench.json"
    with subprocess.Popen([sys.argv[1], "--size", "2^8", "--repeats", "1000", "--json", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        while not path.exists():
            assert process.poll() is None, "the bench ended without a file"
            time.sleep(0.001)
        process.kill()
    bench = Bench(path)
    assert bench.rows and all(row["right"] for row in bench.rows), "no rows, or wrong ones"
    assert bench.source().endswith("cut short**"), bench.source()
print(f"killed_test.py: {len(bench.rows)} rows are left")
