#!/bin/bash
# nvcosim bisect on real RTL: a repository with a copy of rtl/ and the tables it needs, and six commits. One does not compile, and a later one has
# a fault in SDP (that of tests/replay/buggy_rtl.sh). Verilator builds every revision, and the trace is played on it.
#
# usage: bisect.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/replay/frame.sh
build=$(realpath "$1")
nvcosim=${NVCOSIM:-$build/nvcosim}
dir=$build/tests/bisect
rm -rf "$dir"
mkdir -p "$dir/repo" "$dir/temporary"
export GIT_CONFIG_GLOBAL=$dir/gitconfig GIT_CONFIG_NOSYSTEM=1 TMPDIR=$dir/temporary
git config --global user.name tests && git config --global user.email tests@example.org && git config --global init.defaultBranch main
repo=$dir/repo
git init -q "$repo"
mkdir -p "$repo/scripts" "$repo/csrc" "$repo/tb"
cp -r rtl "$repo"
cp -r csrc/nvdla "$repo/csrc"
cp scripts/{gen_tables,tables}.py "$repo/scripts"
cp tb/*.csv "$repo/tb"
commit() { git -C "$repo" add -A && git -C "$repo" commit -qm "$1"; }
commit "NVDLA as it was"
echo "// a word" >>"$repo/rtl/sdp/nvdla_sdp_pkg.sv" && commit "SDP: a word"
cp "$repo/rtl/pdp/nvdla_pdp_pkg.sv" "$dir/pdp.sv" && echo "module (" >>"$repo/rtl/pdp/nvdla_pdp_pkg.sv" && commit "PDP: half done"
cp "$dir/pdp.sv" "$repo/rtl/pdp/nvdla_pdp_pkg.sv" && echo "a word" >"$repo/NOTES" && commit "PDP: done"
# shellcheck disable=SC2016 # not the shell's dollars
sed -i 's/ - \$signed({offset\[31\], offset})/ + $signed({offset[31], offset})/' "$repo/rtl/sdp/nvdla_sdp_pkg.sv" && commit "SDP: offsets are added"
echo "// another word" >>"$repo/rtl/sdp/nvdla_sdp_pkg.sv" && commit "SDP: another word"
git -C "$repo" diff --stat HEAD~2 HEAD~1 | grep -q nvdla_sdp_pkg
check "the fault is in" $?

before=$(git -C "$repo" status --porcelain --branch; git -C "$repo" worktree list)
start=$SECONDS
out=$("$nvcosim" bisect traces/conformance/small/rand_sdp_000.nvt.gz --repo "$repo" --good HEAD~5 --bad HEAD --out "$dir/logs" 2>&1)
status=$?
echo "$out"
echo "$((SECONDS - start)) s"
[ $status -eq 0 ] && grep -q "^$(git -C "$repo" rev-parse HEAD~1) is the first bad commit" <<<"$out" && grep -q "subject: SDP: offsets are added" <<<"$out"
check "the commit is found (exit status $status)" $?
grep -q "FAIL value:SDP" <<<"$out" && grep -q "it does not build: %Error.*: skipped" <<<"$out" && grep -q "make -C .* build && .*/build/nvcosim debug" <<<"$out"
check "what fails is reported, and how to debug it" $?
[ "$before" = "$(git -C "$repo" status --porcelain --branch; git -C "$repo" worktree list)" ] && [ -z "$(ls "$TMPDIR")" ]
check "the repository is as it was" $?
# The RTL of two revisions, set side by side by a file list of the user's.
mkdir -p "$repo/out" && sed -e 's://.*::' -e '/^[[:space:]]*$/d' -e 's:^\(+incdir+\)\?:&../rtl/:' "$repo/rtl/nvdla.f" >"$dir/list" && cp "$build/gen/small/nvdla_pkg.sv" "$repo/out" &&
    { echo nvdla_pkg.sv; cat "$dir/list"; } >"$repo/out/vmod.f" && commit "A list"
echo "module (" >>"$repo/rtl/pdp/nvdla_pdp_pkg.sv" && commit "PDP: half done again"
ends "the error of Verilator is reported" 2 "'HEAD' cannot be judged: it does not build: %Error.*nvdla_pdp_pkg.sv" \
    "$nvcosim" bisect traces/conformance/small/rand_sdp_000.nvt.gz --repo "$repo" --filelist out/vmod.f --good HEAD~1 --bad HEAD --out "$dir/logs"
rm -f "$build"/nvcosim-small-bisect_* "$build"/small-bisect_*.variables
finish
