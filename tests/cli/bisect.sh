#!/bin/bash
# nvcosim bisect over small repositories, with stand-ins for simulators: a revision behaves as its file `verdict` says.
# usage: NVCOSIM=build/nvcosim tests/cli/bisect.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

# The stand-in for make: takes the verdict of the revision into the simulator, fails where there is none.
cat >tree/Makefile <<'END'
B = build
.PHONY: simulator simulator-base
simulator-base: ;
simulator:
	@echo built >>$(B)/builds
	@test ! -e $(dir $(FILELIST))slow || { echo $$$$ >$(B)/building; sleep 30; }
	@test -e $(dir $(FILELIST))verdict || { echo "%Error: verdict: No such file"; exit 1; }
	@cp $(dir $(FILELIST))verdict $(B)/nvcosim-$(CONFIG)-$(NAME).verdict
	@sed 's:@VERDICT@:$(CURDIR)/$(B)/nvcosim-$(CONFIG)-$(NAME).verdict:; s:@CONFIG@:$(CONFIG):' simulator >$(B)/nvcosim-$(CONFIG)-$(NAME)
	@chmod +x $(B)/nvcosim-$(CONFIG)-$(NAME)
	@mkdir -p $(B)/sim/nvcosim-$(CONFIG)-$(NAME)
END
cat >tree/simulator <<'END'
#!/bin/bash
read -r verdict status more <"@VERDICT@"
echo "{\"verdict\":\"$verdict\",\"config\":\"@CONFIG@\",\"reason\":\"it is so\"$more}" >&3
exit "$status"
END
export GIT_CONFIG_GLOBAL=$WORK/gitconfig GIT_CONFIG_NOSYSTEM=1 TMPDIR=$WORK/temporary
mkdir "$TMPDIR"
git config --global user.name "Ada Example" && git config --global user.email ada@example.org && git config --global init.defaultBranch main
PASS='PASS 0 ,"compared":true' MISMATCH='FAIL 1 ,"mismatch":{"space":"primary","address":0,"bytes":1,"golden":false,"unit":"SDP"}'
HANG='HANG 3 ,"devices":[{"name":"rtl","outcome":"hung","engine":"cacc"}]'

# repository NAME VERDICT...: a commit for each, "" one that does not build; tags c0, c1, ...
repository() {
    local name=$1 n=0 verdict
    shift
    git init -q "$name" || exit 2
    for verdict; do
        mkdir -p "$name/rtl"
        echo "top.v // $n" >"$name/rtl/list.f"
        echo "module" >"$name/rtl/top.v"
        rm -f "$name/rtl/verdict"
        [ -z "$verdict" ] || echo "$verdict" >"$name/rtl/verdict"
        git -C "$name" add -A
        git -C "$name" commit -qm "change $n" && git -C "$name" tag "c$n"
        n=$((n + 1))
    done
}
bisect() { command=("$TREE" bisect good/good.cfg --filelist rtl/list.f "$@"); }
# What a user has: what git says of it, its references and files, and what lies in the folder for temporary files.
state() { git -C "$1" status --porcelain --branch; git -C "$1" worktree list; git -C "$1" for-each-ref; cat "$1/.git/HEAD"; ls -A --ignore packed-refs "$1/.git" "$TMPDIR"; }

repository one "$PASS" "$PASS" "$PASS" "$MISMATCH" "$MISMATCH" "$MISMATCH" "$MISMATCH"
echo dirty >>one/rtl/top.v
mkdir -p one/.git/hooks && printf '#!/bin/sh\ntouch %s/hooked\n' "$WORK" >one/.git/hooks/post-checkout && chmod +x one/.git/hooks/post-checkout
git -C one worktree add -q --detach "$WORK/other" c1 && rm -f hooked
before=$(state one)
bisect --repo one --good c0 --bad main
check found 0 "6 commits of $WORK/one, played with $WORK/good/good.cfg on small" "bad  " "FAIL value:SDP" "is the first bad commit" "author: Ada Example <ada@example.org>" "subject: change 3" "M rtl/verdict" \
    "worktree add --detach $WORK/nvcosim-bisect/tree-" "nvcosim build --config=small --filelist=" "nvcosim debug --config=small --dut=rtl:bad" "step 1, about 2 more after it:"
that found_it grep -q "^$(git -C one rev-parse c3) is the first bad commit" stdout
that found_in_steps test "$(grep -c '^step' stdout)" -le 3
that found_leaves_the_repository test "$before" = "$(state one)"
that found_obeys_no_hook test ! -e hooked
that found_keeps_logs test -s nvcosim-bisect/bisect.log -a -e "nvcosim-bisect/$(git -C one rev-parse --short=12 c3).run.log"
that found_removes_objects test -z "$(ls tree/build/sim)"
builds=$(wc -l <tree/build/builds)
check found_again 0 "is the first bad commit" "(built before"
that found_again_builds_nothing test "$builds" = "$(wc -l <tree/build/builds)"
command=(env -C one/rtl "$TREE" bisect "$WORK/good/good.cfg" --filelist rtl/list.f --good c0 --bad c6 --out "$WORK/logs")
check from_inside 0 "is the first bad commit" "change 3"
bisect --repo one --good c2 --bad c3; check neighbours 0 "change 3"; that neighbours_no_step test "$(grep -c '^step' stdout)" = 0
bisect --repo one --good c0 --bad c6 --stall 300 --seed 7 --pin a=1
check options_of_run 0 "nvcosim debug --config=small --dut=rtl:bad --stall=300 --seed=7 --pin=a=1 "

repository two "$PASS" "$PASS" "" "$PASS" "$HANG" "$MISMATCH" "$MISMATCH" "" "$MISMATCH"
bisect --repo two --good c0 --bad c8
check otherwise 1 "HANG hang:cacc: fails in another way than --bad, and is skipped (--any-failure counts it as bad)" "the first bad commit is one of these" "change 4" "change 5"
bisect --repo two --good c0 --bad c8 --any-failure; check any_failure 0 "is the first bad commit" "subject: change 4"
repository three "$PASS" "" "" "" "$MISMATCH"
bisect --repo three --good c0 --bad c4; check unbuilt 1 "it does not build: " "No such file" "($WORK/nvcosim-bisect/" ": skipped" "one of these" "change 1" "change 4"
that unbuilt_leaves_nothing test "$(git -C three worktree list | wc -l)" = 1 -a -z "$(ls "$TMPDIR")"

# A merge: the fault came with the branch.
repository four "$PASS" "$PASS"
git -C four checkout -qb side c0 && echo "$MISMATCH" >four/rtl/verdict && git -C four add -A && git -C four commit -qm "on the side" && git -C four checkout -q main
git -C four merge -q --no-ff -m "merge of the side" side
bisect --repo four --good c0 --bad main; check merged 0 "subject: on the side"
bisect --repo four --good c0 --bad main --first-parent; check first_parent 0 "subject: merge of the side"

# A command that makes what is built.
git init -q five
for verdict in "$PASS" "$PASS" none "$MISMATCH"; do
    mkdir -p five/rtl && echo top.v >five/rtl/list.f && echo "$verdict" >five/source && git -C five add -A && git -C five commit -qm "source ${verdict%% *}" --allow-empty
    echo >>five/more
done
bisect --repo five --good HEAD~3 --bad HEAD --prepare '! grep none source && cp source rtl/verdict'
check prepared 1 "--prepare fails on it" "one of these" "source none" "source FAIL" 
bisect --repo five --good HEAD~3 --bad HEAD --prepare 'cp source rtl/verdict'
check prepared_odd 1 "CRASH crash:2: fails in another way" "one of these"

# A tree instead of a list, as NVIDIA's: each revision's list is written by nvcosim.
vmod() { command=("$TREE" bisect good/good.cfg --repo eight --vmod hw/vmod "$@"); }
git init -q eight
for verdict in "$PASS" "$PASS" "$MISMATCH"; do
    mkdir -p eight/hw/vmod/nvdla/top && echo "$verdict" >eight/verdict && printf 'module NV_nvdla;\nendmodule\n' >eight/hw/vmod/nvdla/top/NV_nvdla.v
    git -C eight add -A && git -C eight commit -qm "tree ${verdict%% *}" --allow-empty
done
sed -i 's:$(dir $(FILELIST))verdict:$(or $(wildcard $(dir $(FILELIST))verdict),$(shell sed -n "s,/hw/vmod/nvdla.*,/verdict,p" $(FILELIST))):g' tree/Makefile
vmod --good HEAD~2 --bad HEAD --pin test_mode=1
check tree 0 "hw/vmod is another's RTL: it has no checks inside, so failures are told apart by memory, registers and ports" "subject: tree FAIL" \
    "nvcosim build --config=small --vmod=$WORK/nvcosim-bisect/tree-" "/hw/vmod --name=bad" "nvcosim debug --config=small --dut=rtl:bad --pin=test_mode=1 "
that tree_leaves_no_lists test -z "$(ls tree/build/nvidia)"
vmod --good HEAD~2 --bad HEAD --pin mux=1; check tree_pin_of_its_top 2 "'HEAD' cannot be judged: it does not build" "module NV_nvdla has no list of ports"
vmod --good HEAD~2 --bad HEAD --checks; check tree_checks 2 "--checks: hw/vmod is another's RTL, which has no checks inside"
vmod --good HEAD~2 --bad HEAD --filelist x.f; check tree_and_list 2 "--filelist and --vmod exclude each other"
command=("$TREE" bisect good/good.cfg --repo eight --vmod hw/none --good HEAD~2 --bad HEAD); check no_tree 2 "it has no hw/none"

# ---- what cannot be bisected ----
bisect --repo one --good c4 --bad c6; check good_is_bad 2 "--good 'c4' fails (FAIL value:SDP): there is no change from good to bad"
bisect --repo one --good c0 --bad c2; check bad_is_good 2 "--bad 'c2' passes: $WORK/good/good.cfg does not fail there"
bisect --repo two --good c2 --bad c8; check good_unbuilt 2 "--good 'c2' cannot be judged: it does not build"
bisect --repo one --good c6 --bad c0; check mistaken 2 "--bad 'c0' comes before --good 'c6'" "swapped"
bisect --repo one --good c0 --bad c0; check the_same 2 "are the same commit"
bisect --repo one --good none --bad c6; check no_commit 2 "'none': found no such commit"
bisect --repo "$TMPDIR" --good c0 --bad c6; check no_repository 2 "not a git repository" "--repo DIR"
bisect --repo one --good c0; check no_bad 2 "--good REV and --bad REV are needed"
bisect --repo one --good c0 --bad c6 --filelist "$WORK/one/rtl/list.f"; check absolute_list 2 "expected a path relative to the top"
bisect --repo one --good c0 --bad c6 --filelist rtl/none.f; check no_list 2 "it has no rtl/none.f"
command=("$TREE" bisect good/good.cfg --repo one --good c0 --bad c6); check whose_rtl 2 "expected --filelist FILE.f"
command=("$TREE" bisect none.cfg --repo one --good c0 --bad c6); check no_trace 2 "none.cfg"
bisect good/good.cfg --repo one --good c0 --bad c6; check two_traces 2 "found 2 traces, expected one"
that nothing_is_left test "$before" = "$(state one)"

# ---- simulators of earlier calls: those that were used last stay ----
kept() { find tree/build -regex '.*/nvcosim-small-bisect_[0-9a-f]*' | wc -l; }
for i in {10..49}; do touch -d "2001-01-01 00:$i" "tree/build/nvcosim-small-bisect_00000000000000$i" "tree/build/small-bisect_00000000000000$i.variables"; done
that many_are_kept test "$(kept)" -gt 40
repository seven "$PASS" "$PASS " "$MISMATCH"
bisect --repo seven --good c0 --bad main
check found_again 0 "is the first bad commit" "subject: change 2"
that some_stay test "$(kept)" = 32
that the_oldest_goes test ! -e tree/build/nvcosim-small-bisect_0000000000000010 -a ! -e tree/build/small-bisect_0000000000000010.variables
that the_newest_of_old_ones_stays test -e tree/build/small-bisect_0000000000000049.variables

# ---- it ends however it ends, and takes its checkout away ----
repository six "$PASS" "$PASS" "$PASS" "$MISMATCH"
touch six/rtl/slow && git -C six add -A && git -C six commit -qm "slow to build"
before=$(state six)
for signal in INT TERM HUP KILL; do
    rm -f tree/build/building
    # A shell has SIGINT ignored in what it runs in the background: env puts that right.
    env --default-signal=INT,HUP "$TREE" bisect good/good.cfg --filelist rtl/list.f --repo six --good c0 --bad main >killed.out 2>&1 &
    pid=$!
    for _ in {1..100}; do [ -s tree/build/building ] && break; sleep 0.1; done
    building=$(cat tree/build/building)
    kill -"$signal" "$pid"
    wait "$pid" 2>wait.out
    status=$?
    that "ended_by_$signal" test $status = $((128 + $(kill -l $signal)))
    for _ in {1..50}; do [ "$before" = "$(state six)" ] && ! kill -0 "$building" 2>kill.out && break; sleep 0.1; done
    that "ended_by_${signal}_leaves_nothing" test "$before" = "$(state six)"
    that "ended_by_${signal}_builds_no_more" test ! -d "/proc/${building:-self}"
done
finish
