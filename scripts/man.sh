#!/bin/bash
# Makes the man pages of nvcosim and its commands with help2man, from what --help prints.
#
# usage: man.sh BUILD        writes BUILD/man/nvcosim.1, nvcosim-run.1, ...
set -eu -o pipefail
build=$1
nvcosim=$build/nvcosim
command -v help2man >/dev/null || { echo "man: help2man is not installed; \`make setup\` installs what is missing" >&2; exit 2; }
rm -rf "$build/man"
mkdir -p "$build/man"
# The time stamp of a page is that of the program it describes, or of the sources that are packaged.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$nvcosim")}
export SOURCE_DATE_EPOCH

# page NAME HELP SUMMARY
page() {
    help2man --no-info --help-option="$2" --version-option=--version --name="$3" "$nvcosim" |
        sed -e "s/^\.TH [A-Z]*/.TH ${1^^}/" -e "s/^nvcosim \\\\-/${1//-/\\\\-} \\\\-/" >"$build/man/$1.1"
}

# The first sentence of a command's help.
summary() {
    "$nvcosim" "$1" --help | sed -n '/^ *\(Usage\|or\):/d; /^[A-Z]/,/^$/p' | tr '\n' ' ' | sed 's/[.:;].*//'
}

page nvcosim --help "co-simulation of NVDLA: traces on RTL and model, compared"
"$nvcosim" --help | sed -n '/^Commands:/,/^$/p' | sed -nE '/^  help /d; s/^  ([a-z-]+) .*/\1/p' | while read -r command; do
    page "nvcosim-$command" "$command --help" "$(summary "$command")"
done

# The manual of the library is its header.
{
    printf '.TH NVCOSIM 3\n.SH NAME\nnvcosim \\- NVDLA, as RTL or as a bit-exact model, for a C program\n'
    printf '.SH SYNOPSIS\n.nf\n#include <nvcosim.h>\ncc program.c $(pkg-config --cflags --libs nvcosim)\n.fi\n.SH DESCRIPTION\n.nf\n'
    sed -e '/^#/d; /^extern "C" {$/d; /^}$/d' -e 's/\\/\\e/g; s/-/\\-/g; s/^\./\\\&./; s/^'"'"'/\\\&'"'"'/' csrc/client/nvcosim.h | cat -s
    printf '.fi\n'
} >"$build/man/nvcosim.3"
