"""Compares CFGROM of an RTL with the configuration that it was built for. NVIDIA's RTL of branch
master has the values of small in every configuration (docs/nvdla/10-system.md, section 8): they say
nothing."""
import json
import pathlib
import subprocess
import tempfile

from nvcosim import configurations, tool

# Words of CFGROM: the key of a configuration's values, the column of configurations.csv, its unit.
_WORDS = {
    "CDMA_BASE_ATOMIC_C": ("c", "atomic_c", 1),
    "CDMA_BASE_ATOMIC_K": ("k", "atomic_k", 1),
    "CDMA_BASE_ATOMIC_M": ("atom", "mem_atom", 1),
    "CDMA_BASE_CBUF_BANK_NUM": ("banks", "cbuf_banks", 1),
    "CDMA_BASE_CBUF_BANK_WIDTH": ("bank_width", "cbuf_bank_bytes", 1),
    "CDMA_BASE_CBUF_BANK_DEPTH": ("bank_depth", "cbuf_bank_depth", 1),
    "PDP_BASE_THROUGHPUT": ("pdp", "pdp_throughput", 1),
    "CDP_BASE_THROUGHPUT": ("cdp", "cdp_throughput", 1),
    "CIF_BASE_WIDTH": ("bus", "dbb_data_bits", 8)}


def trace() -> str:
    """A trace that expects the values of small."""
    small = configurations.row("small")
    checks = (f"read_check CFGROM.CFGROM_{word} == {int(small[column]) // unit}\n"
              for word, (_, column, unit) in _WORDS.items())
    return "nvt 1\nconfig small\nmode sequential\n" + "".join(checks)


def warning(config: str, other: dict[str, int]) -> str:
    """other: words that differ from those of small. "" if CFGROM says nothing, or what `config`
    has."""
    def differing(name: str) -> str:
        row = configurations.row(name)
        return ",".join(f"{key}={said[word]}" for word, (key, column, _) in _WORDS.items()
                        if said[word] != int(row[column]))

    small = configurations.row("small")
    said = {word: other[word] * unit if word in other else int(small[column])
            for word, (_, column, unit) in _WORDS.items()}
    wrong = differing(config)
    if not other or not wrong:
        return ""
    same_map = (name for name, row in configurations.rows().items() if row["map"] == small["map"])
    closest = min(same_map, key=lambda name: (differing(name).count("="), name != config))
    proposed = ",".join(filter(None, (closest, differing(closest))))
    return (f"CFGROM of this RTL has other values than {config} ({wrong}); if they are true, build "
            f"it with --config {proposed}")


def compare(config: str, name: str) -> str:
    """Plays reads of CFGROM on rtl:NAME. Returns a warning if it has other values than CONFIG, with
    what to write instead, else ""."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "cfgrom.nvt").write_text(trace(), encoding="ascii")
        subprocess.run([tool.program(), "run", "--config", config, "--dut", f"rtl:{name}",
                        "--out", folder, f"{folder}/cfgrom.nvt"], capture_output=True, check=False)
        report = pathlib.Path(folder, "cfgrom/report.json")
        if not report.exists():  # as the first trace will, too, with a report
            return ""
        devices = json.loads(report.read_text(encoding="utf-8"))["devices"]
        failures = [failure for device in devices for failure in device["failures"]]
    other = {failure["register"].removeprefix("CFGROM.CFGROM_"): int(failure["got"], 16)
             for failure in failures if failure["kind"] == "register"}
    return warning(config, other)
