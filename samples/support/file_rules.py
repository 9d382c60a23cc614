"""What holds for the files of every sample: they are tried before the work, and an output is never an input."""
import ctypes
import os
import subprocess

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


def obey_permissions():
    """In a child, before it runs a program: permissions hold for root too."""
    if os.geteuid() == 0:
        for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                os._exit(1)


def closed_folder(test, mode):
    """A folder of that mode with a file; None where no child can be made to obey it."""
    closed = test.folder / "closed"
    closed.mkdir()
    (closed / "file").write_bytes(b"kept")
    (closed / "file").chmod(0o400)
    closed.chmod(mode)
    test.addCleanup(closed.chmod, 0o700)
    try:
        is_denied = subprocess.run(["test", "-w", closed], preexec_fn=obey_permissions, check=False).returncode == 1
    except subprocess.SubprocessError:
        is_denied = False
    return closed if is_denied else None


class FileRules:
    """Tests beside those of a unittest.TestCase with `folder`, `program`, `run_program` and `expect_refusal`."""
    reads = None  # what a file holds that the sample can use; None: it reads none
    writes = ("--json",)  # the options that name files which it writes; a name without dashes stands for an argument
    work = ()  # arguments for little work
    replaces = ()  # of `writes`, what may replace the input by its own name

    def arguments(self, option, output, source):
        """Of a command line with all files of the sample, `output` among them as that of `option`."""
        arguments = list(self.work) if self.reads is None else [*self.work, source]
        for each in self.writes:
            arguments += [each] if each.startswith("--") else []
            arguments.append(output if each == option else self.folder / f"other{each}")
        return arguments

    def make_source(self):
        source = self.folder / "source"
        source.write_bytes(self.reads or b"")
        return source

    def expect_untouched(self, code, reason, arguments, **how):
        """A refusal before anything was printed, that leaves all files as they were."""
        def content():
            return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        before = content()
        with self.subTest(reason=reason, arguments=list(map(str, arguments))):
            self.expect_refusal(code, reason, *arguments, **how)
            self.assertEqual(self.run_program(*arguments, **how).stdout, "")
            self.assertEqual(content(), before)

    def test_outputs_are_tried_before_the_work(self):
        source, closed = self.make_source(), closed_folder(self, 0o500)
        for option in self.writes:
            for reason, output in (("No such file", self.folder / "none" / "file"), ("it is a folder", self.folder),
                                   ("Not a directory", source / "file"), ("name too long", self.folder / ("x" * 256))):
                self.expect_untouched(1, f"cannot be written: {reason}" if "long" not in reason else reason,
                                      self.arguments(option, output, source))
            if closed:
                for name in ("new", "file"):
                    self.expect_untouched(1, "cannot be written: Permission denied",
                                          self.arguments(option, closed / name, source), preexec_fn=obey_permissions)
            self.expect_untouched(2, "no file has an empty name", self.arguments(option, "", source))

    def test_a_file_that_may_not_be_written_is_not_replaced(self):
        source, kept = self.make_source(), self.folder / "kept"
        kept.write_bytes(b"kept")
        kept.chmod(0o444)  # in a folder that may be written
        if closed_folder(self, 0o500):
            for option in self.writes:
                self.expect_untouched(1, "cannot be written: Permission denied", self.arguments(option, kept, source),
                                      preexec_fn=obey_permissions)

    def test_inputs_are_tried_before_the_work(self):
        if self.reads is None:
            return
        output, closed = self.folder / "output", closed_folder(self, 0o000)
        output.write_bytes(b"kept")
        for option in self.writes:
            for reason, source in (("cannot be read: No such file", self.folder / "none"), ("is a folder", self.folder),
                                   ("cannot be read: Not a directory", output / "file")):
                self.expect_untouched(1, reason, self.arguments(option, output, source))
            if closed:
                self.expect_untouched(1, "cannot be read: Permission denied",
                                      self.arguments(option, output, closed / "file"), preexec_fn=obey_permissions)
            self.expect_untouched(2, "no file has an empty name", self.arguments(option, output, ""))

    def test_an_output_is_no_input(self):
        if self.reads is None:
            return
        source, link, hard, missing = self.make_source(), *(self.folder / name for name in ("link", "hard", "missing"))
        link.symlink_to(source)
        os.link(source, hard)
        (self.folder / "sub").mkdir()
        for option in self.writes:
            for read, written in ((source, link), (source, hard), (link, source), (link, hard), (hard, "source")):
                self.expect_untouched(2, "would be overwritten", self.arguments(option, written, read))
            if option not in self.replaces:
                for read, written in ((source, source), (source, "source"), ("source", "./source"), ("source", "sub/../source"),
                                      (link, link), (missing, missing), ("missing", "./missing")):
                    self.expect_untouched(2, "would be overwritten", self.arguments(option, written, read))

    def test_two_outputs_are_two_files(self):
        source, old, link = self.make_source(), self.folder / "old", self.folder / "link"
        old.write_bytes(b"kept")
        link.symlink_to(old)
        for option in self.writes[1:]:
            for one, other in ((self.folder / "new", "./new"), (old, old), (old, link)):
                arguments = [other if each == self.folder / f"other{self.writes[0]}" else each
                             for each in self.arguments(option, one, source)]
                self.expect_untouched(2, "is written already", arguments)

    def test_an_output_does_not_replace_what_was_printed(self):
        source, printed = self.make_source(), self.folder / "printed"
        for option in self.writes:
            for output in (printed, "/dev/stdout"):
                with self.subTest(output=output), open(printed, "wb") as stdout:
                    done = self.run_program(*self.arguments(option, output, source), stdout=stdout)
                    self.assertEqual((done.returncode, printed.read_bytes()), (2, b""), done.stderr)
                    self.assertIn("is written already", done.stderr)

    def test_a_name_as_long_as_a_name_can_be(self):
        source = self.make_source()
        for option in self.writes:
            output = self.folder / ("x" * 255)
            done = self.run_program(*self.arguments(option, output, source))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertGreater(output.stat().st_size, 0)

    def test_a_file_is_not_made_in_the_place_of_another(self):
        source, output = self.make_source(), self.folder / "output"
        arguments = self.arguments(self.writes[0], output, source)
        done = subprocess.run(["sh", "-c", 'echo kept >"parprims-$$-0.part" && exec "$0" "$@"', self.program, *map(str, arguments)],
                              capture_output=True, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        (part,) = self.folder.glob("*.part")
        self.assertEqual(part.read_text(), "kept\n")
        self.assertGreater(output.stat().st_size, 0)
