#!/bin/bash
# nvcosim build: another RTL, with a stand-in for the source tree.
# usage: NVCOSIM=build/nvcosim tests/cli/build.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

echo "a.sv" >"mine.f"
command=("$TREE" build --filelist mine.f); check build_needs_name 2 "--filelist FILE.f and --name NAME, or --nvidia CHECKOUT, are needed"
command=("$TREE" build --filelist mine.f --name Mine); check build_bad_name 2 "--name: found 'Mine', expected a-z, 0-9 and _"
command=("$TREE" build --filelist mine.f --name waves); check build_reserved_name 2 "--name: found 'waves'"
command=("$TREE" build --filelist none.f --name mine); check build_missing_filelist 2 "none.f: No such file"
command=("$TREE" build --filelist mine.f --name theirs --config full); check build_config 0 "nvcosim run --config full --dut rtl:theirs TRACE"
command=("$TREE" run --config full --dut rtl:theirs good/good.cfg); check run_other_rtl_of_full 0 "simulator full-theirs: --config=full --dut=rtl:theirs" "PASS good"
command=("$TREE" build --filelist mine.f --name mine --top "a b"); check build_top 2 "--top: found 'a b', expected the name of a module"
command=("$TREE" build mine.f); check build_argument 2 "found 'mine.f', expected options only"
touch tree/fail
command=("$TREE" build --filelist mine.f --name mine); check build_fails 2 "compiling small-mine" "could not be built"
rm tree/fail
command=("$TREE" build --filelist mine.f --name mine --top MY_top --verilator-option=-Wno-fatal --verilator-option=-DX=1)
check build_works 0 "nvcosim run --config small --dut rtl:mine TRACE"
that build_passes_variables grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made
command=("$TREE" run --dut rtl:mine good/good.cfg); check run_other_rtl 0 "simulator small-mine: --dut=rtl:mine --config=small --name=good"
rm tree/build/made
command=("$TREE" run --dut rtl:mine --wave w.fst good/good.cfg); check run_other_rtl_waves 0 "building the simulator of rtl:mine (small) with waves" "simulator small-mine-waves"
that build_settings_are_kept grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made
# names that make or a shell would carry out
odd='x$(shell touch made_it)`touch shell_did`.f' && cp mine.f "$odd"
command=("$TREE" build --filelist "$odd" --name odd --verilator-option='-DX=$(shell touch made_it)' --verilator-option='-DY=`touch shell_did`'); check build_odd_names 0 "done"
that build_odd_names_are_names test ! -e tree/made_it -a ! -e tree/shell_did -a ! -e made_it -a ! -e shell_did
that build_odd_names_arrive grep -qxF "FILELIST=$WORK/$odd" tree/build/small-odd.variables
command=("$TREE" build --compiler 'g`touch x`'); check build_odd_compiler 2 "--compiler: found 'g\`touch x\`', expected the name of a compiler"
# how it is compiled
command=("$TREE" build --name mine --compiler g++ --optimize=-O2 --sim-threads 3); check build_known 0 "building the simulator of rtl:mine for configuration small"
that build_known_variables grep -qx "CXX=g++ OPT=-O2 SIM_THREADS=3 PROFILE= TRAINING=" tree/build/how
that build_known_keeps_rtl grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made
command=("$TREE" build --config large --profile good/good.cfg hang); check build_profile 0 "building the simulator of the RTL in rtl/ for configuration large"
that build_profile_variables grep -q "PROFILE=1 TRAINING=$WORK/good/good.cfg $WORK/hang\$" tree/build/how
command=("$TREE" build --no-profile); check build_no_profile 0 "done"
that build_no_profile_variables grep -q "PROFILE=0 TRAINING=$" tree/build/how
command=("$TREE" build --name nosuch --profile); check build_unknown 2 "no RTL named nosuch was built for configuration small"
command=("$TREE" build --profile none.cfg); check build_no_training 2 "none.cfg: No such file"
command=("$TREE" build good/good.cfg); check build_traces_alone 2 "found 'good/good.cfg', expected options only, or --profile"
command=("$TREE" build --profile --no-profile); check build_both 2 "--profile and --no-profile exclude each other"
command=("$TREE" build --compiler "a b"); check build_compiler 2 "--compiler: found 'a b', expected the name of a compiler"
command=("$TREE" build --sim-threads 0); check build_threads 2 "--sim-threads: found '0', expected 1 to 99"
command=("$TREE" run --dut rtl:mine --sim-threads 4 good/good.cfg); check run_sim_threads 0 "simulator small-mine: --dut=rtl:mine --config=small"
that run_sim_threads_variables grep -qx "CXX=.* OPT= SIM_THREADS=4 PROFILE= TRAINING=" tree/build/how
command=("$TREE" run --sim-threads x good/good.cfg); check run_sim_threads_bad 2 "--sim-threads: found 'x', expected a number from 1 to 99"
command=("$TREE" build --name mine --top X); check build_known_top 2 "--taps, --top, --verilator-option and --pin need --filelist or --nvidia"
# memory
echo "module NV_NVDLA_partition_m;" >a.sv
command=(bash -c 'ulimit -v 4000000; exec "$@"' - "$TREE" build --config full --filelist mine.f --name mine); check nvidia_memory 2 "--filelist: found a limit of 4.1 GB of memory, expected 8.5 GB; raise it"
# trees
command=("$TREE" build --vmod none); check vmod_missing 2 "--vmod: $WORK/none: No such file or directory; expected a checkout of NVIDIA's repository, or a folder with RTL"
mkdir -p flat && echo "module NV_nvdla; endmodule" >flat/NV_nvdla.v
command=("$TREE" build --vmod flat --print-filelist); check vmod_list 0 "// RTL of no branch of NVIDIA's: 1 file below $WORK/flat" "+define+SYNTHESIS" "$WORK/flat/NV_nvdla.v"
command=("$TREE" build --vmod flat); check vmod_build 0 "RTL of no branch of NVIDIA's: 1 file below $WORK/flat" "nvcosim run --config small --dut rtl:nvidia TRACE"
command=("$TREE" build --vmod flat --nvidia flat); check vmod_twice 2 "--filelist, --vmod and --nvidia exclude each other"
command=("$TREE" build --filelist mine.f --name mine --print-filelist); check print_of_a_list 2 "--print-filelist needs --vmod"
command=("$TREE" build --nvidia-rams flat); check rams_alone 2 "--nvidia-rams needs --vmod"
# what is there
cat >tree/build/nvcosim-medium_512 <<'END'
#!/bin/bash
printf '%s\n' "nvcosim-medium_512, a simulator" "compiler: a compiler" "threads: 1"
END
echo "no program" >tree/build/nvcosim-large-broken
chmod +x tree/build/nvcosim-*
command=("$TREE" info --build); check info_build 0 "tree/build/nvcosim-medium_512" "compiler   a compiler" "nvcosim-large-broken: it cannot be started" "nvcosim-small-mine: it does not report its build settings"
command=("$TREE" info --build --json); check info_build_json 0 '"compiler": "a compiler"'
command=("$TREE" info --build good/good.cfg); check info_build_alone 2 "--build: found a trace or other options as well"
finish
