"""QEMU: which one, and the machine that it is to be."""
import contextlib
import json
import os
import re
import subprocess

from nvcosim.tool import Failure

_QEMU, _LEAST = "qemu-system-aarch64", (10, 1)  # the first with the vfio-user client


def _version(words: list[str]) -> tuple[int, ...]:
    with contextlib.suppress(OSError):
        done = subprocess.run([*words, "--version"], capture_output=True, text=True, check=False)
        found = re.match(r"QEMU emulator version (\d+)\.(\d+)", done.stdout)
        if found and done.returncode == 0:
            return tuple(map(int, found.groups()))
    return ()


def find_qemu() -> list[str]:
    """The words that start a QEMU that is new enough: that in PATH, or that of a chroot that
    scripts/on_debian.sh made, by the chroot's own loader and libraries, which needs no root."""
    cache = os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME') or '/root'}/.cache"
    chroot = f"{os.environ.get('DEBIAN_CHROOTS') or f'{cache}/nvcosim/debian'}/13"
    in_chroot = [f"{chroot}/lib64/ld-linux-x86-64.so.2", "--library-path",
                 f"{chroot}/usr/lib/x86_64-linux-gnu", f"{chroot}/usr/bin/{_QEMU}", "-L",
                 f"{chroot}/usr/share/qemu"]
    found = ""
    for words in [_QEMU], in_chroot:
        version = _version(words)
        if version >= _LEAST:
            return words
        if version and not found:
            found = f"QEMU {version[0]}.{version[1]} in {words[0]}"
    raise Failure(f"found {found or f'no {_QEMU}'}, expected {_QEMU} {_LEAST[0]}.{_LEAST[1]} or "
                  f"later in PATH or in the chroot {chroot}; Debian 13 has it in its backports "
                  "(apt-get install -t trixie-backports qemu-system-arm), and `make guest` on an "
                  "older Debian makes a chroot with it")


def machine(kernel: str, initrd: str, socket: str, words: str, sent: str = "") -> list[str]:
    """Options of a machine with the device at that socket. words: for the kernel's command line.
    sent: file that gets what the guest writes to a second serial line; "": it has none."""
    device = {"driver": "vfio-user-pci", "socket": {"type": "unix", "path": socket},
              "x-msg-timeout": 3600000}
    return [*"-M virt,memory-backend=ram -cpu cortex-a57 -accel tcg -nodefaults -no-reboot "
            "-display none -serial stdio -m 1024M "
            "-object memory-backend-memfd,id=ram,size=1024M,share=on".split(),
            *(["-serial", f"file:{sent}"] if sent else []), "-kernel", kernel, "-initrd", initrd,
            "-append", f"console=ttyAMA0 panic=-1 quiet cma=512M {words}", "-device",
            json.dumps(device)]
