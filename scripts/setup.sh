#!/bin/bash
# Installs the Debian packages that this project needs and that are missing. The lists below are the only ones.
#
# usage: scripts/setup.sh [demo|check|deb|guest]     as root, or as a user with sudo; demo: only what building and replaying need; check: what
#                                                    `make check` needs too; deb: what `make deb` needs; guest: what `make guest` needs
#                                                    on Debian 13
set -u
what=${1:-all}
packages=(
    build-essential  # gcc, g++, make
    python3          # table generator, and the commands of python/
    python3-yaml     # which read plans and memories
    verilator        # RTL simulator (5.006 in Debian 12, 5.032 in Debian 13)
    clang            # compiler of the Verilated code, sanitizers, fuzzing
    ccache           # makes rebuilding the Verilated code cheap
    zlib1g-dev       # gzip, CRC-32
    liblz4-dev       # recorded streams
    libjansson-dev   # JSON
    libpng-dev       # pictures that go into networks
    libjpeg-dev
)
# What `make check` needs too.
check=(
    clang-format-19  # of one version, whose layout the code has
    git              # lists the files that lint looks at
    pyflakes3        # lint of Python
    mypy             # types of python/
    libcmocka-dev    # unit tests
)
# What building the packages needs.
deb=(
    debhelper
    dh-python        # commands in Python
    git              # lists the files of the source archive
    help2man         # man pages
    lintian
)
# What making and booting a Linux guest needs (scripts/linux).
guest=(
    gcc-aarch64-linux-gnu
    make
    cpio
    xz-utils
    kmod             # depmod
    qemu-system-arm  # of the backports: its vfio-user client
)
# What the other tests, lint, waves and the manual need too.
more=(
    iverilog         # second simulator, four-state
    libclang-rt-dev  # sanitizers, profiles
    llvm             # llvm-profdata, for simulators with a profile
    lld              # their linker, for link-time optimisation
    clang-tidy       # nightly lint
    cppcheck
    shellcheck       # lint of the shell scripts
    gtkwave          # looks at waves
    xvfb             # a screen for it in tests, and for a picture in docs
    libxml2-utils    # checks JUnit XML in tests
    python3-numpy    # trains networks (scripts/digits)
    pkg-config       # libnvcosim for C programs
    jq               # an example in docs/results.md
    chromium         # looks at report.html and index.html in tests, and takes their pictures for docs
    help2man         # man pages
    yosys            # proofs of leaf modules
    opensta          # reads the timing constraints of the RTL
    gcc-riscv64-linux-gnu   # other machines that exported C programs are compiled for
    gcc-arm-linux-gnueabihf
    libc6-dev-riscv64-cross
    libc6-dev-armhf-cross
    slurm-wlm        # a cluster of one machine, for regressions on Slurm
    munge            # which it needs
    iproute2         # the loopback of that cluster
    debootstrap      # other releases of Debian (scripts/on_debian.sh)
)
# The Yosys of scripts/yosys; a Node.js from elsewhere may bring npm.
command -v npm >/dev/null || more+=(npm)
case $what in
demo) ;;
check) packages+=("${check[@]}") ;;
deb) packages+=("${deb[@]}") ;;
guest) packages=("${guest[@]}") ;;
all) packages+=("${check[@]}" "${more[@]}") ;;
*)
    echo "setup: found '$what', expected demo, check, deb, guest or nothing" >&2
    exit 2
    ;;
esac
missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup: missing packages: ${missing[*]}" >&2
        echo "setup: run as root, or install them yourself: apt-get install ${missing[*]}" >&2
        exit 1
    }
    sudo=(sudo)
fi
echo "setup: installing ${missing[*]} (once, needs the network)"
log=$(mktemp)
# apt_get WORD...: waits up to ten minutes while another program holds one of apt's locks
apt_get() {
    local try holder
    for ((try = 0; try < 300; try++)); do
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get "$@" >"$log" 2>&1 && return
        holder=$(grep -m1 -E 'Could not get lock|Unable to acquire' "$log") || break
        [ "$try" -gt 0 ] || echo "setup: waiting for another program that installs packages: ${holder#E: }"
        sleep 2
    done
    tail -n 20 "$log" >&2
    echo "setup: apt-get $1 failed, see $log" >&2
    exit 1
}
apt_get update
apt_get install -y --no-install-recommends "${missing[@]}"
rm -f "$log"
