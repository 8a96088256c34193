#!/bin/bash
# Makes the Linux guest of `nvcosim linux`: Debian 13's kernel for arm64, a small initramfs, the modules of this folder, and, with SW, NVIDIA's
# driver and runtime from the user's checkout of their repository. On an older Debian it works in a chroot of Debian 13 (scripts/on_debian.sh).
#
# usage: guest.sh BUILD [SW]      as make guest [SW=CHECKOUT [CONFIG=full]] does; writes BUILD/guest/{vmlinuz,initrd.gz,about}
# Environment:
#   SELFTEST   traces that the self-test driver plays; default: a convolution, pooling, and chains of layers of small
#   CONFIG     configuration that the driver of SW is built for, small (default), full, ...; `nvcosim linux` uses it for no other register map
# Exit status: 0; 2 with a message; 77: this machine can have no chroot, or cannot reach Debian's servers.
set -eu -o pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/scripts/linux

fail() {
    echo "guest: $1" >&2
    exit 2
}

# cannot LOG WHAT: apt has failed. Where Debian's servers are out of reach, the status is 77, as for a machine that can have no chroot.
cannot() {
    tail -n 5 "$1" >&2
    if grep -qE 'Could not (resolve|connect)|Temporary failure|Connection (failed|timed out|refused)|Unable to connect|Cannot initiate' "$1"; then
        echo "guest: $2: Debian's servers cannot be reached" >&2
        exit 77
    fi
    fail "$2"
}

# stage_sources BUILD FOLDER SW: all that Debian 13 needs, in one folder.
stage_sources() {
    local nvcosim=$1/nvcosim to=$2 sw=$3 trace name number=0
    local traces=("$root"/traces/conformance/small/rand_{dc_000,pdp_000,dc_pdp_000,multi_002}.nvt.gz)
    [ -z "${SELFTEST:-}" ] || read -ra traces <<<"$SELFTEST"
    mkdir -p "$to/modules"
    cp "$here"/*.[ch] "$to/modules/"
    cp -r "$here/include" "$to/modules/"
    cp "$here/init" "$to/"
    {
        echo '/* Made by guest.sh: the programs of the self-test. */'
        echo 'struct selftest_program { const char *name; int (*play)(void); };'
        for trace in "${traces[@]}"; do
            [ -f "$trace" ] || fail "SELFTEST: there is no file $trace"
            "$nvcosim" export "$trace" --to c -o "$to/modules/program_$number.c" >/dev/null || fail "SELFTEST: $trace cannot be exported"
            echo "int selftest_program_$number(void);"
            number=$((number + 1))
        done
        echo 'static const struct selftest_program selftest_programs[] = {'
        number=0
        for trace in "${traces[@]}"; do
            name=$(basename "$trace")
            echo "    {\"${name%.nvt*}\", selftest_program_$number},"
            number=$((number + 1))
        done
        echo '};'
    } >"$to/modules/programs.h"
    {
        echo '/* Made by guest.sh: registers of small that hold an address, or its lower half. */'
        echo '#define SELFTEST_MEMORY 0x80000000u /* where the memory of traces begins */'
        echo 'static const u32 nvdla_address_registers[] = {'
        python3 "$root/scripts/gen_tables.py" registers small |
            awk '$3 ~ /ADDR_LOW/ || $3 == "D_DATAOUT_ADDR" { print "    " $1 ", /* " $2 "." $3 " */" }'
        echo '};'
    } >"$to/modules/addresses.h"
    {
        echo 'obj-m := nvdla_pci.o nvdla_selftest.o'
        echo "nvdla_selftest-y := selftest.o$(seq -f ' program_%g.o' -s '' 0 $((number - 1)))"
        for ((number--; number >= 0; number--)); do
            echo "CFLAGS_program_$number.o := -include \$(src)/selftest.h -I\$(src)/include" \
                "-DNVDLA_MAIN=selftest_program_$number -Dnvdla_result=selftest_result_$number"
        done
    } >"$to/modules/Kbuild"
    [ -z "$sw" ] || stage_checkout "$sw" "$to"
}

# register_map: small or full, that of $config.
register_map() {
    "$build/nvcosim" info --json --brief | python3 -c 'import json, sys
print({row["name"]: row["map"] for row in json.load(sys.stdin)["configurations"]}[sys.argv[1]])' "$config" 2>/dev/null
}

# stage_checkout SW FOLDER: the driver's sources and the prebuilt runtime.
stage_checkout() {
    local part
    for part in kmd/Makefile prebuilt/arm64-linux/nvdla_runtime; do
        [ -e "$1/$part" ] || fail "SW: $1 has no $part; expected a checkout of NVIDIA's sw repository, or of a port of it"
    done
    mkdir -p "$2/sw"
    echo "$config" >"$2/sw/config"
    register_map >"$2/sw/map" || fail "CONFIG: found '$config', expected a configuration such as small or full"
    awk '/^struct dla_data_cube/, /}/ { found = 1; if (/[ \t]offset;/) new = 1 } END { if (found) print ", cubes of " (new ? 32 : 28) " bytes" }' \
        "$1/kmd/firmware/include/dla_interface.h" >"$2/sw/cubes" 2>/dev/null || true
    cp -rL "$1/kmd" "$2/sw/"
    mkdir -p "$2/sw/runtime"
    cp -L "$1"/prebuilt/arm64-linux/nvdla_runtime "$2/sw/runtime/"
    cp -L "$1"/prebuilt/arm64-linux/*.so* "$2/sw/runtime/" 2>/dev/null || true
}

# ---- on Debian 13 ----

# private_apt TOOL WORD...: apt for packages of arm64, with the servers of this system and without any change to it.
private_apt() {
    local tool=$1
    shift
    "$tool" -q -o APT::Architectures::=arm64 -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache" \
        -o Acquire::Languages=none -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}

# fetch PACKAGE...: downloads Debian packages and unpacks them into $debian.
fetch() {
    local package
    mkdir -p "$apt/packages"
    (cd "$apt/packages" && rm -f ./*.deb && private_apt apt-get download "$@" >"$apt/log" 2>&1) ||
        cannot "$apt/log" "the packages $* cannot be downloaded"
    for package in "$apt"/packages/*.deb; do
        dpkg-deb -x "$package" "$debian"
    done
    rm -rf "$apt/packages"
}

# fetch_debian: the kernel, what its modules are built with, and busybox.
fetch_debian() {
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial} "$debian"
    : >"$apt/status"
    private_apt apt-get -o APT::Update::Error-Mode=any update >"$apt/log" 2>&1 || cannot "$apt/log" "apt-get update failed"
    release=$(private_apt apt-cache depends linux-headers-arm64:arm64 | sed -n 's/.*Depends: linux-headers-\(.*\)-arm64.*/\1/p' | head -n 1)
    [ -n "$release" ] || fail "Debian's kernel for arm64 (linux-headers-arm64) was not found by apt"
    [ "$(cat "$debian/release" 2>/dev/null)" != "$release" ] || return 0
    rm -rf "$debian" && mkdir -p "$debian"
    fetch "linux-image-$release-arm64:arm64" "linux-headers-$release-arm64:arm64" "linux-headers-$release-common" "linux-kbuild-$release" \
        busybox-static:arm64 libc6:arm64 libstdc++6:arm64 libgcc-s1:arm64
    sed -i "s|include /usr/src|include $debian/usr/src|" "$debian/usr/src/linux-headers-$release-arm64/Makefile"
    echo "$release" >"$debian/release"
}

# make_modules WORD...: make for the guest's kernel. Without debugging information, which needs its whole image.
make_modules() {
    local cross=aarch64-linux-gnu-
    [ "$(dpkg --print-architecture)" != arm64 ] || cross=
    make ARCH=arm64 CROSS_COMPILE=$cross CC=${cross}gcc CONFIG_DEBUG_INFO_BTF_MODULES= "$@"
}

# add_modules FOLDER: our modules, the driver's, and of the kernel's what these need.
add_modules() {
    local modules=$1/lib/modules/$release-arm64 from=$debian/usr/lib/modules/$release-arm64 needed
    mkdir -p "$modules"
    cp "$from"/modules.{builtin,builtin.modinfo,order} "$modules/"
    find "$stage/modules" "$stage/sw" -name '*.ko' -exec cp -t "$modules" {} + 2>/dev/null || true
    if [ -e "$modules/opendla.ko" ]; then
        find "$from/kernel/drivers/gpu/drm" -maxdepth 1 -name '*.ko.xz' -exec cp -t "$modules" {} +
        needed=$(find "$from" -name 'backlight.ko.xz' -o -name 'cec.ko.xz' -o -name 'rc-core.ko.xz')
        [ -z "$needed" ] || xargs cp -t "$modules" <<<"$needed"
        find "$modules" -name '*.ko.xz' -exec unxz -f {} +
    fi
    depmod -b "$1" "$release-arm64"
}

# make_initrd: of busybox, init, the modules and the runtime.
make_initrd() {
    local tree=$stage/tree library
    rm -rf "$tree" && mkdir -p "$tree"/{bin,proc,sys,dev,tmp,lib/nvdla}
    install -m 755 "$debian/usr/bin/busybox" "$tree/bin/busybox"
    install -m 755 "$stage/init" "$tree/init"
    add_modules "$tree"
    if [ -d "$stage/sw" ]; then
        cp "$stage"/sw/runtime/* "$tree/lib/nvdla/"
        chmod 755 "$tree/lib/nvdla/nvdla_runtime"
        for library in ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libstdc++.so.6 libgcc_s.so.1; do
            cp -L "$(find "$debian/usr/lib" -name "$library" | head -n 1)" "$tree/lib/"
        done
    fi
    (cd "$tree" && find . | LC_ALL=C sort | cpio --quiet --reproducible -o -H newc) | gzip -1n >"$stage/initrd.gz"
}

# build_here FOLDER SHOWN: makes the guest of what stage_sources put there. SHOWN: the folder as it is named outside a chroot.
build_here() {
    shown=$2 stage=$(realpath "$1") apt=$(realpath "$1")/../guest-apt debian=$(realpath "$1")/../guest-debian
    mkdir -p "$apt" "$debian"
    apt=$(realpath "$apt") debian=$(realpath "$debian")
    "$root/scripts/setup.sh" guest 2>"$apt/log" || cannot "$apt/log" "the packages that a guest is made with cannot be installed"
    fetch_debian
    local kernel=$debian/usr/src/linux-headers-$release-arm64
    make_modules -C "$kernel" "M=$stage/modules" modules >"$stage/log" 2>&1 || {
        grep -m 5 -E 'error|Error' "$stage/log" >&2 || tail -n 5 "$stage/log" >&2
        fail "the modules of scripts/linux do not compile for Linux $release; whole log: $shown/log"
    }
    if [ -d "$stage/sw" ]; then
        local flags=
        [ "$(cat "$stage/sw/map")" = full ] || flags=-DDLA_2_CONFIG # the small register map
        make_modules -C "$stage/sw/kmd" "KDIR=$kernel" "KCFLAGS=$flags" >"$stage/log" 2>&1 || {
            grep -m 5 -E 'error' "$stage/log" >&2 || tail -n 5 "$stage/log" >&2
            fail "SW: the driver does not compile for Linux $release; docs/live.md, \"NVIDIA's driver\", lists what changed since Linux 4.13, and ports
whole log: $shown/log"
        }
        [ -n "$(find "$stage/sw/kmd" -name opendla.ko)" ] || fail "SW: kmd was built, and there is no opendla.ko; expected obj-m += opendla.o in it"
    fi
    make_initrd
    cp "$debian/boot/vmlinuz-$release-arm64" "$stage/vmlinuz"
    echo "Linux $release, $([ -d "$stage/sw" ] && echo "with NVIDIA's driver for $(cat "$stage/sw/config" "$stage/sw/cubes" | tr -d '\n')" || echo "without NVIDIA's driver")" >"$stage/about"
}

if [ "${1:-}" = --here ]; then
    build_here "$2" "$3"
    exit
fi
[ $# -ge 1 ] || {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}
build=$(realpath "$1") sw=${2:+$(realpath "$2")} config=${CONFIG:-small}
version=$(. /etc/os-release && echo "${VERSION_ID:-99}") # testing has none
if [ "${version%%.*}" -ge 13 ]; then
    work=$build/guest.new
else
    work=$root/build/debian-13/guest.new
fi
mkdir -p "$(dirname "$work")"
exec 9>"$work.lock" && flock 9
rm -rf "$work"
stage_sources "$build" "$work" "$sw"
if [ "${version%%.*}" -ge 13 ]; then
    "$0" --here "$work" "$work"
else
    "$root/scripts/on_debian.sh" 13 "$0" --here "$root/build/guest.new" "$work" || exit
fi
mkdir -p "$build/guest"
for file in vmlinuz initrd.gz about; do
    mv "$work/$file" "$build/guest/$file"
done
rm -rf "$work"
echo "$build/guest: $(cat "$build/guest/about")"
