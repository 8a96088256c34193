"""Traces and networks played by `nvcosim run`; results as dicts."""
import json
import pathlib
import subprocess
import tempfile
import typing

from nvcosim import tool

Result = dict[str, typing.Any]


def _run(files: list[str], options: list[str]) -> list[Result]:
    """What --results gives."""
    done = subprocess.run([tool.program(), "run", "--results=-", *options, "--", *files],
                          capture_output=True, check=False, encoding="utf-8", errors="replace")
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not results:
        raise tool.Failure(done.stderr.strip() or f"nvcosim run ended with {done.returncode}")
    return results


def play(trace: str | pathlib.Path, dut: str = "both", config: str = "",
         options: typing.Sequence[str] = ()) -> Result:
    """Plays a trace; its result as docs/results.md says: result["verdict"] == "PASS". Failure if
    nothing could be played. options: more of `nvcosim run`, such as "--latency=200"."""
    words = [f"--dut={dut}", *([f"--config={config}"] if config else []), *options]
    return _run([str(trace)], words)[0]


def run_network(network: str | pathlib.Path, inputs: typing.Sequence[str | pathlib.Path] = (),
                dut: str = "both", config: str = "",
                options: typing.Sequence[str] = ()) -> tuple[Result, dict[str, typing.Any]]:
    """Runs a network (.nvdla, .tflite, .onnx) on pictures or other inputs (docs/networks.md).
    Returns the result, and its outputs by name: numpy arrays [picture, channel, y, x] of float32,
    in the units of the network."""
    import numpy
    with tempfile.TemporaryDirectory(prefix="nvcosim-") as folder:
        words = [f"--dut={dut}", f"--out={folder}", f"--outputs={folder}/outputs", "--npy",
                 *options]
        words += [f"--config={config}"] if config else []
        words += [f"--input={one}" for one in inputs]
        result = _run([str(network)], words)[0]
        files = pathlib.Path(folder, "outputs").glob("*.npy")
        return result, {file.stem: numpy.load(file) for file in sorted(files)}
