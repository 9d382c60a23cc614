"""What the tests of the samples have in common: running the program, refusals, skipping without a GPU."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from support import file_rules

NO_GPU = ("no CUDA support in this build", "no CUDA-capable device is detected", "no CUDA driver is installed",
          "is older than the CUDA runtime", "this one was made where there was none")
SKIPPED = 77


class TestCase(file_rules.FileRules, unittest.TestCase):
    program = None
    backend = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_program(self, *arguments, stdin=b"", backend=True, limit_bytes=None, stdout=subprocess.PIPE, preexec_fn=None):
        choice = ["--backend", self.backend] if backend else []
        if limit_bytes is not None:
            def preexec_fn(): resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
        done = subprocess.run([self.program, *choice, *map(str, arguments)], input=stdin, stdout=stdout, stderr=subprocess.PIPE,
                              cwd=self.folder, check=False, preexec_fn=preexec_fn)
        done.stdout, done.stderr = (done.stdout or b"").decode(), done.stderr.decode()
        return done

    def expect_refusal(self, code, reason, *arguments, **how):
        """The exit code, and one line on stderr that gives the reason."""
        done = self.run_program(*arguments, **how)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_gpu_that_is_not_there_is_a_wrong_command_line(self):
        done = subprocess.run([self.program, "--backend", "device"], capture_output=True, text=True, cwd=self.folder, check=False,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertTrue(done.stderr.startswith(f"{self.program.name}: --backend: device needs a GPU, and there is none here: "))
        self.assertTrue(any(reason in done.stderr for reason in NO_GPU), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotIn("parprims::", done.stderr)

    def test_output_that_cannot_be_written_gets_one_line(self):
        for arguments in ((), ("--help",)):
            for redirection in (">/dev/full", ">&-"):
                with self.subTest(arguments=arguments, redirection=redirection):
                    done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', self.program, "--backend", self.backend,
                                           *arguments], stderr=subprocess.PIPE, text=True, cwd=self.folder, check=False)
                    self.assertEqual((done.returncode, done.stderr),
                                     (1, f"{self.program.name}: the output cannot be written\n"))


def main():
    TestCase.program, TestCase.backend = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if TestCase.backend == "device":
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([TestCase.program, "--backend", "device"], capture_output=True, text=True, check=False,
                                  cwd=folder)
        if done.returncode == 2 and any(reason in done.stderr for reason in NO_GPU):
            print("skipped: no GPU:", done.stderr.strip())
            sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
