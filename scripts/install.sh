#!/bin/bash
# Installs nvcosim, the simulators that are built, the sources from which further simulators are built, man pages and completion. A list
# of the installed files is kept with the sources; --uninstall removes those and nothing else.
#
# usage: install.sh BUILD PREFIX [DESTDIR]             PREFIX: path at run time; DESTDIR: staging folder in front of it, for packages
#        install.sh --uninstall PREFIX [DESTDIR]
set -eu -o pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "install: $*" >&2
    exit 2
}
[ $# -ge 2 ] || fail "expected BUILD or --uninstall, and PREFIX"
build=$1 prefix=$2 destination=${3:-}
[[ $prefix == /* ]] || fail "PREFIX: found '$prefix', expected an absolute path"
[[ $prefix$destination != *[[:space:]]* ]] || fail "PREFIX: found '$destination$prefix'; make and Verilator take no path with spaces"
root=$destination${prefix%/}
share=$root/share/nvcosim
manifest=$share/MANIFEST

remove() {
    [ -f "$manifest" ] || return 0
    local files
    mapfile -t files <"$manifest"
    rm -f "${files[@]/#/$root/}" "$manifest"
    # Folders that are empty now; those that others use stay, and so does the prefix itself.
    printf '%s\n' share/nvcosim/MANIFEST "${files[@]}" | sed 's:/[^/]*$::' | sort -ru |
        (cd "$root" && xargs -r rmdir -p --ignore-fail-on-non-empty 2>/dev/null) || true
}

if [ "$build" = --uninstall ]; then
    [ -f "$manifest" ] || fail "$manifest does not exist: nothing was installed with PREFIX=$prefix"
    remove
    echo "removed nvcosim from $root"
    exit 0
fi

{ mkdir -p "$share" 2>/dev/null && [ -w "$share" ]; } || fail "$share cannot be written; choose another PREFIX, or use sudo"
remove
mkdir -p "$share"
: >"$manifest"
# put MODE FROM TO: TO below PREFIX
put() {
    install -D -m "$1" "$2" "$root/$3"
    echo "$3" >>"$manifest"
}

put 755 "$build/nvcosim" bin/nvcosim
# Simulators of the RTL in rtl/; those of another RTL belong to the user who built them.
configs=$(awk -F, 'NR > 1 { print $1 }' csrc/nvdla/configurations.csv | paste -sd '|')
for simulator in "$build"/nvcosim-*; do
    if [[ ${simulator##*/} =~ ^nvcosim-($configs)(-(waves|taps|coverage|toggle|checks))?$ ]] && [ -x "$simulator" ]; then
        put 755 "$simulator" "lib/nvcosim/${simulator##*/}"
    fi
done
while read -r file; do
    put "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "share/nvcosim/$file"
done < <(find Makefile VERSION README.md CONTRIBUTING.md CHANGELOG.md LICENSE csrc tb rtl scripts docs python \
    \( -name __pycache__ -o -name .mypy_cache \) -prune -o -type f ! -name '*.png' -print | sort)
# The commands in Python, compiled: an ordinary user cannot write there.
/usr/bin/python3 -m compileall -q --invalidation-mode checked-hash -s "$destination" -p / "$share/python"
(cd "$root" && find share/nvcosim/python -name '*.pyc') >>"$manifest"
for page in "$build"/man/*.1; do
    put 644 "$page" "share/man/man1/${page##*/}"
done
for library in libnvcosim.so.0 libnvcosim.a; do
    put 644 "$build/library/$library" "lib/$library"
done
ln -sf libnvcosim.so.0 "$root/lib/libnvcosim.so"
echo lib/libnvcosim.so >>"$manifest"
put 644 csrc/client/nvcosim.h include/nvcosim.h
package=$(mktemp)
trap 'rm -f "$package"' EXIT
sed -e "s:@prefix@:${prefix%/}:; s:@libdir@:\${prefix}/lib:; s:@includedir@:\${prefix}/include:; s/@version@/$(cat VERSION)/" \
    csrc/client/nvcosim.pc.in >"$package"
put 644 "$package" lib/pkgconfig/nvcosim.pc
put 644 "$build/man/nvcosim.3" share/man/man3/nvcosim.3
put 644 scripts/completion.bash share/bash-completion/completions/nvcosim
echo "installed nvcosim in $root; PREFIX=$prefix make uninstall removes it"
