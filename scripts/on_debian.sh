#!/bin/bash
# Runs a command in this checkout on another release of Debian: makes a chroot of it with debootstrap, the first time, with nothing in it but
# the smallest system and make; mounts the checkout there under the same path, and runs the command in it as root. Needs root, debootstrap and,
# for what is not in the caches yet, the network.
#
# usage: on_debian.sh RELEASE COMMAND [ARGUMENT...]      on_debian.sh 13 make check
#   RELEASE   12, 13 or unstable
# Environment:
#   DEBIAN_CHROOTS   folder of the chroots (RELEASE), of what the compilers made (ccache-RELEASE) and of downloaded packages (packages-RELEASE);
#                    default ~/.cache/nvcosim/debian. Without its chroot, a release begins anew
#   DEBIAN_MIRROR    default http://deb.debian.org/debian
# The checkout's build folder is build/debian-RELEASE there. NVDLA_CONFORMANCE, NVDLA_NETWORKS, REQUIRE_CONFORMANCE, NIGHTLY, TESTS and LIST are
# passed on, and the folders of conformance traces and networks are mounted read-only. The exit status is the command's; 77: there can be no
# chroot on this machine, which is said on the standard error.
set -eu -o pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

# missing WHAT ADVICE
missing() {
    echo "on_debian: $1; $2" >&2
    exit 77
}

# put FILE: writes the standard input there if the file holds something else, whole at once: other commands in the chroot may read it now.
put() {
    cat >"$1.on-debian"
    if cmp -s "$1.on-debian" "$1"; then rm "$1.on-debian"; else mv "$1.on-debian" "$1"; fi
}

# copy_settings CHROOT: how this machine reaches the mirror and npm's registry. Debian 13 takes QEMU from its backports: older ones have no
# vfio-user client.
copy_settings() {
    put "$1/etc/resolv.conf" </etc/resolv.conf
    put "$1/etc/hosts" </etc/hosts
    { apt-config dump | grep -E '^Acquire::(https?|ftp|Retries|Check-Valid-Until|Check-Date)\b' || true; } | put "$1/etc/apt/apt.conf.d/90on-debian"
    [ ! -f "${NODE_EXTRA_CA_CERTS:-}" ] || put "$1/etc/ssl/extra.crt" <"$NODE_EXTRA_CA_CERTS"
    [ "${1##*/}" = 13 ] || return 0
    echo "deb $mirror trixie-backports main" | put "$1/etc/apt/sources.list.d/backports.list"
    printf 'Package: qemu-* seabios ipxe-qemu\nPin: release n=trixie-backports\nPin-Priority: 500\n' | put "$1/etc/apt/preferences.d/qemu"
}

# make_chroot RELEASE SUITE: complete, or not there.
make_chroot() {
    local chroot=$chroots/$1 new=$chroots/$1.new
    command -v debootstrap >/dev/null || missing "debootstrap is not installed" "apt-get install debootstrap"
    echo "on_debian: making a chroot of Debian $1 from $mirror in $chroot (once)" >&2
    rm -rf "$new"
    mkdir -p "$new"
    debootstrap --variant=minbase --include=make,ca-certificates --cache-dir="$chroots/packages-$1" "$2" "$new" "$mirror" >"$new.log" 2>&1 || {
        tail -n 5 "$new.log" >&2
        missing "debootstrap of Debian $1 from $mirror failed" "whole log: $new.log"
    }
    printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d" # no package starts its daemons
    chmod +x "$new/usr/sbin/policy-rc.d"
    mv "$new" "$chroot"
}

# Inside namespaces of its own, whose mounts end with the command: enter RELEASE COMMAND...
enter() {
    local chroot=$chroots/$1 release=$1 folder common
    shift
    set -E
    trap 'missing "cannot mount in $chroot" "a container needs --privileged"' ERR
    mount --make-rprivate /
    mount --bind "$chroot" "$chroot"
    mount -t proc proc "$chroot/proc"
    mount --rbind /sys "$chroot/sys"
    mount --rbind /dev "$chroot/dev"
    mount -t tmpfs tmpfs "$chroot/tmp" # its own: processes of several commands have the same ids, and some name their files by them
    # bind FROM TO [OPTIONS]
    bind() {
        mkdir -p "$1" "$chroot$2"
        mount --bind "$1" "$chroot$2"
        [ -z "${3:-}" ] || mount -o "remount,bind,$3" "$chroot$2"
    }
    bind "$chroots/packages-$release" /var/cache/apt/archives
    bind "$chroots/ccache-$release" /var/cache/ccache
    common=$(git -c safe.directory='*' -C "$root" rev-parse --path-format=absolute --git-common-dir 2>/dev/null || true)
    [ -z "$common" ] || bind "$common" "$common"
    bind "$root" "$root"
    bind "$root/build/debian-$release" "$root/build"
    for folder in "${NVDLA_CONFORMANCE:-../shared/conformance}" "${NVDLA_NETWORKS:-../shared/networks}"; do
        folder=$(cd "$root" && realpath -m "$folder")
        [ ! -d "$folder" ] || bind "$folder" "$folder" ro
    done
    local environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "TERM=${TERM:-dumb}"
        CCACHE_DIR=/var/cache/ccache
        GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory 'GIT_CONFIG_VALUE_0=*')
    for folder in NVDLA_CONFORMANCE NVDLA_NETWORKS REQUIRE_CONFORMANCE NIGHTLY TESTS LIST; do
        [ -z "${!folder:-}" ] || environment+=("$folder=${!folder}")
    done
    [ ! -f "${NODE_EXTRA_CA_CERTS:-}" ] || environment+=(NODE_EXTRA_CA_CERTS=/etc/ssl/extra.crt)
    # Not chroot alone, in which no program can make namespaces of its own.
    cd "$chroot"
    pivot_root . mnt
    # shellcheck disable=SC2016 # expanded there
    exec chroot . env -i "${environment[@]}" bash -c 'umount -l /mnt && cd "$0" && exec "$@"' "$root" "$@"
}

chroots=${DEBIAN_CHROOTS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/nvcosim/debian}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
if [ "${1:-}" = --enter ]; then
    shift
    enter "$@"
fi
[ $# -ge 2 ] || {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}
release=$1
shift
case $release in
12) suite=bookworm ;;
13) suite=trixie ;;
unstable) suite=sid ;;
*)
    echo "on_debian: found release '$release', expected 12, 13 or unstable" >&2
    exit 2
    ;;
esac
[ "$(id -u)" -eq 0 ] || missing "only root can mount and chroot" "run it as root: sudo $0 $release $*"
mkdir -p "$chroots/packages-$release" || exit 1
chroots=$(realpath "$chroots")
[[ $chroots/ != "$root"/* ]] || {
    echo "on_debian: DEBIAN_CHROOTS ($chroots) lies in the checkout, which is mounted below it; expected a folder outside of it" >&2
    exit 2
}
unshare --mount --pid --fork --kill-child true 2>/dev/null || missing "this machine allows no namespaces (unshare --mount --pid)" "a container needs --privileged"
{
    flock 9 # one at a time makes it; commands in it run side by side
    [ -d "$chroots/$release" ] || make_chroot "$release" "$suite"
    copy_settings "$chroots/$release"
} 9>"$chroots/$release.lock"
DEBIAN_CHROOTS=$chroots exec unshare --mount --pid --fork --kill-child "$0" --enter "$release" "$@"
