#!/bin/bash
# make install into a folder: the installed program plays with the installed simulator, builds another one in the user's cache, has man pages and
# completion, and does not change its folder. Uninstalling removes all of it.
#
# usage: install.sh BUILD     NIGHTLY=1: it builds another simulator, too
. "$(dirname "$0")/frame.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s install PREFIX=/opt/nvdla DESTDIR="$dir/package" && [ -x "$dir/package/opt/nvdla/bin/nvcosim" ] && ! grep -rqF "$dir" "$dir/package/opt/nvdla/share"
check "make install DESTDIR=" $?
that "make install PREFIX=" make -s install PREFIX="$dir/prefix"
trace=$PWD/traces/conformance/small/rand_sdp_pdp_001.nvt.gz
cp "$trace" "$dir/t.nvt.gz"
find "$dir/prefix" -type f -exec cksum {} + | sort >"$dir/before"
# nvcosim away from the sources, with a cache of its own
installed() { (cd "$dir" && XDG_CACHE_HOME=$dir/cache PATH=$dir/prefix/bin:$PATH nvcosim "$@"); }
installed run t.nvt.gz && [ ! -e "$dir/cache/nvcosim" ]
check "it plays with the simulator that came with it" $?
if [ -n "${NIGHTLY:-}" ]; then
    installed run --coverage "$dir/t.dat" t.nvt.gz 2>"$dir/log" && grep -q 'building the small simulator with line coverage' "$dir/log" && [ -s "$dir/t.dat" ]
    check "it builds another one in the user's cache" $?
    installed run --coverage "$dir/t.dat" t.nvt.gz 2>"$dir/log" && ! grep -q building "$dir/log"
    check "once" $?
fi
find "$dir/prefix" -type f -exec cksum {} + | sort | cmp - "$dir/before"
check "the installation is as it was" $?
for page in nvcosim nvcosim-run nvcosim-gen nvcosim-build; do
    grep -q "^\.TH ${page^^} " "$dir/prefix/share/man/man1/$page.1" && grep -q '^.SH DESCRIPTION' "$dir/prefix/share/man/man1/$page.1"
    check "man page $page" $?
done
# complete WORD...: what completion offers for the last word
complete_() {
    PATH=$dir/prefix/bin:$PATH bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nvcosim; echo "${COMPREPLY[*]}"' \
        "$dir/prefix/share/bash-completion/completions/nvcosim" nvcosim "$@"
}
[ "$(complete_ sh)" = shrink ] && [ "$(complete_ run --latency-k)" = "--latency-kind=" ] && [ "$(complete_ run --config = sm)" = "small small_256 small_256_full" ]
check "completion of commands, options and configurations" $?
make -s uninstall PREFIX="$dir/prefix" && [ -z "$(find "$dir/prefix" -type f)" ] && [ ! -e "$dir/prefix/share/nvcosim" ]
check "make uninstall" $?
ends "uninstall of nothing" 2 'nothing was installed with PREFIX=' make -s uninstall PREFIX="$dir/prefix"
ends "a PREFIX that is not an absolute path" 2 "found 'relative', expected an absolute path" make -s install PREFIX=relative
finish
