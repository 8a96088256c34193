"""What a guest is given: a network that fits it and the device, the picture in the form that
NVIDIA's runtime reads, and files; and what it gives back."""
import dataclasses
import os
import pathlib
import re
import shutil
import tarfile
import typing

from nvcosim import tool
from nvcosim.plan.facts import configurations
from nvcosim.tool import Failure

DEFAULT_CONFIG = "small"
_GREY = 1  # channels


@dataclasses.dataclass
class Network:
    """A loadable. channels: of its input, 0: it has none. cube_bytes: in the layout of its
    descriptors. launches: those that it arms, each the name of a unit and a number."""
    path: str
    config: str
    channels: int
    cube_bytes: int
    launches: set[tuple[str, int]]


def read_network(path: str, config: str, fallback: str) -> Network:
    """config: that of the device, "": as the network shows it, fallback: if it fits more than one.
    Failure if it is compiled for another."""
    chosen = ["--config", config] if config else []
    facts = tool.run_json("info", "--json", *chosen, path)
    if not facts.get("config"):
        facts = tool.run_json("info", "--json", "--config", fallback, path)
    channels = {tensor["name"]: tensor["nchw"][1] for tensor in facts["tensors"]}
    inputs = [memory for memory in facts["memories"] if memory["input"]]
    return Network(path, facts["config"],
                   channels.get(inputs[0].get("tensor"), _GREY) if inputs else 0,
                   facts["cube_bytes"],
                   {(layer["launch"]["unit"], layer["launch"]["number"])
                    for layer in facts["layers"] if "launch" in layer})


def platform(config: str) -> str:
    """Name of the platform device by which NVIDIA's driver knows the configuration."""
    return "nv_large" if config.startswith("large") else \
        "nvdla_os_initial" if config == "full" else "nv_small"


@dataclasses.dataclass
class Driver:
    """NVIDIA's, in a guest. config: that it was built for, "": there is none. cube_bytes: in the
    layout of descriptors that it reads, 0: unknown."""
    config: str = ""
    cube_bytes: int = 0

    def fits(self, config: str) -> bool:
        """Whether it knows the registers of the configuration; also if there is none."""
        maps = configurations()
        return self.config not in maps or maps[self.config]["map"] == maps[config]["map"]


def read_driver(folder: str) -> Driver:
    """What `make guest` wrote about the guest's driver."""
    try:
        about = pathlib.Path(f"{folder}/about").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Driver()
    found = re.search(r"with NVIDIA's driver(?: for (\w+))?(?:, cubes of (\d+))?", about)
    return Driver(found[1] or DEFAULT_CONFIG, int(found[2] or 0)) if found else Driver()


def check_driver(folder: str, driver: Driver, network: Network) -> None:
    """Failure if the guest cannot run the network."""
    if not driver.config:
        raise Failure(f"{folder}: found a guest without NVIDIA's driver and runtime; `make guest "
                      "SW=CHECKOUT` makes one with them (docs/live.md)")
    if not driver.fits(network.config):
        raise Failure(f"{folder}: found NVIDIA's driver built for {driver.config}, expected one "
                      f"for {network.config}; `make guest SW=CHECKOUT CONFIG={network.config}` "
                      "makes it")
    if driver.cube_bytes and network.cube_bytes and driver.cube_bytes != network.cube_bytes:
        raise Failure(f"{network.path}: found descriptors with cubes of {network.cube_bytes} "
                      f"bytes, expected {driver.cube_bytes}, as the guest's driver reads them; "
                      "it was compiled for another version of NVIDIA's driver")


def convert(network: Network, picture: str, work: str) -> str:
    """The picture as NVIDIA's runtime reads it, for this network; a path in `work`. Failure of one
    that it would not read, or read wrong."""
    path = f"{work}/picture{'.pgm' if network.channels == _GREY else '.jpg'}"
    tool.run("compile", network.path, "--input", picture, "-o", path)
    return path


# ---- archives

def archived(name: str, data: bytes | None) -> bytes:
    """A file, or a folder (None), in cpio's form newc, as Linux's buffer-format.rst has it."""
    path, content = os.fsencode(name) + b"\0", data or b""
    mode = 0o40755 if data is None else 0o100755
    # inode, mode, uid, gid, links, time, size, device (4), length of the name, check
    numbers = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers) + path
    return b"".join(part + bytes(-len(part) % 4) for part in (head, content))


def job(files: dict[str, bytes]) -> bytes:
    """The guest's folder /job, with these files."""
    return b"".join(archived(*entry) for entry in (
        ("job", None), *((f"job/{name}", data) for name, data in files.items()),
        ("TRAILER!!!", b"")))


def read_file(path: str) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise Failure(f"{path}: cannot open: {error.strerror}") from None


def make_initrd(guest: str, work: str, files: dict[str, bytes]) -> str:
    """The guest's initrd with these files in /job."""
    initrd = f"{guest}/initrd.gz"
    if not files:
        return initrd
    try:
        initrd = shutil.copyfile(initrd, f"{work}/initrd")
        with open(initrd, "ab") as file:
            file.write(bytes(-file.tell() % 4) + job(files))
    except OSError as error:
        raise Failure(f"{error.filename or initrd}: {error.strerror}") from None
    return initrd


def unpack(archive: str, folder: str) -> list[str]:
    """Writes what the guest has sent, an archive of tar, into a folder. Files only, and only below
    it: the guest is not trusted. Returns their names."""
    names = []
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                parts = [part for part in member.name.split("/") if part not in ("", ".")]
                if not member.isfile() or ".." in parts or not parts:
                    continue
                path = pathlib.Path(folder, *parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                with open(path, "wb") as file:
                    shutil.copyfileobj(typing.cast(typing.IO[bytes], tar.extractfile(member)), file)
                names.append("/".join(parts))
    except tarfile.TarError as error:
        raise Failure(f"--get: what the guest has sent is no archive: {error}") from None
    except OSError as error:
        raise Failure(f"--get: {error.filename or folder}: {error.strerror}") from None
    return names
