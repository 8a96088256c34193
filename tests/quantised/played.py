"""A network that is compiled, each node compared with the reference interpreter, and played."""
import os
import pathlib
import sys

from counts import run

NVCOSIM = str(pathlib.Path(sys.argv[1]).resolve())


def compiled(path, *source):
    """What nvcosim compile --check says."""
    return run(NVCOSIM, "compile", path, "--check", "--threads=1", *source)


def wrong(path, *source, dut=None):
    """The reason why it fails, or "". dut: it is played, too."""
    done = compiled(path, *source)
    if done.returncode or "pass node" not in done.stdout or "FAIL" in done.stdout:
        return f"status {done.returncode}, no node compared or a wrong one:\n{done.stdout}{done.stderr}"
    if dut is None:
        return ""
    done = run(NVCOSIM, "run", "-q", "--dut", dut, "--out", os.path.join(os.path.dirname(path), "out"), path, *source)
    return f"status {done.returncode}:\n{done.stdout}{done.stderr}" if done.returncode else ""
