"""What tests/run.py runs: steps, which build what groups need, and groups of tests. Costly work is a step of its own where groups share it.

levels: check (after each edit: a minute), test (before a commit), nightly. A group that is too long for a level has a short form there, with a
title of its own. needs: names of steps; all groups need the first one. In commands: BUILD, the folder; JOBS, the cores.
"""
import collections
import os
import subprocess

Step = collections.namedtuple("Step", "name title command")
Group = collections.namedtuple("Group", "levels title command needs", defaults=("",))

STEPS = [
    Step("build", "build nvcosim and the small simulator", "make -j $JOBS build"),
    Step("unit", "build unit tests", "make -j $JOBS unit-tests"),
    Step("sanitized", "build unit tests with address and undefined sanitizers", "make -j $JOBS $BUILD/asan/libnvcosim.a asan-tests"),
    Step("waves", "build the small simulator with waves", "make $BUILD/nvcosim-small-waves"),
    Step("taps", "build the small simulator with taps", "make $BUILD/nvcosim-small-taps"),
    Step("checks", "build the small simulator with checks", "make $BUILD/nvcosim-small-checks"),
    Step("full", "build the full simulator", "make $BUILD/nvcosim-full"),
    Step("planted", "build an rtl with planted faults", "tests/replay/planted_rtl.sh $BUILD"),
    Step("outputs", "build what writes about nights", "make $BUILD/tests/outputs"),
]

NETWORK = os.environ.get("NVDLA_CONFORMANCE", "../shared/conformance") + "/small/net_lenet/net_lenet.cfg"
DRIVERS = "traces/conformance/{small/rand_multi_00{2,5},full/rand_multi_003}.nvt.gz " + NETWORK



def benches():
    """Names of the benches that the Makefile builds, with the levels that run them."""
    def listed(nightly):
        command = ["make", "--no-print-directory", "list-benches", f"NIGHTLY={nightly}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    day, night = listed(""), listed("1")
    return [("test nightly" if b in day else "nightly", b) for b in night]


GROUPS = [
    Group("check", "unit tests, an eighth of the walks", "UNIT_WALKS=short tests/unit/run.sh $BUILD/tests", "unit"),
    Group("test nightly", "unit tests", "tests/unit/run.sh $BUILD/tests", "unit"),
    Group("check", "python: unit tests", "make -s library && UNIT_WALKS=short NVCOSIM_PROGRAM=$BUILD/nvcosim tests/python/run.py"),
    Group("test", "python: unit tests", "make -s library && NVCOSIM_PROGRAM=$BUILD/nvcosim tests/python/run.py"),
    Group("test", "unit tests with sanitizers", "UNIT_WALKS=short tests/unit/run.sh $BUILD/asan/tests", "sanitized"),
    Group("nightly", "unit tests with sanitizers, all seeds", "tests/unit/run.sh $BUILD/asan/tests", "sanitized"),
    Group("test", "model against the plain definitions", "tests/naive/run.sh $BUILD 2000"),
    Group("nightly", "model against the plain definitions, many layers", "tests/naive/run.sh $BUILD 200000"),
    Group("check", "command line, the core", "tests/cli/cli.sh info lint run_usage run_model diff output gen"),
    Group("test nightly", "command line", "tests/cli/cli.sh"),
    Group("check test nightly", "play-list: tests for another program", "tests/cli/play_list.py $NVCOSIM"),
    Group("test nightly", "setting up", "tests/setup.sh"),
    Group("check", "lint, the quick half", "tests/succeeds.sh make lint LINT=quick"),
    Group("test", "lint of the sources", "tests/succeeds.sh make lint LINT=sources"),
    Group("test", "lint of the rtl, small and full", "tests/succeeds.sh make lint LINT=rtl CONFIGS=small && make lint LINT=fast CONFIGS=full"),
    Group("nightly", "lint", "tests/succeeds.sh make lint"),
    Group("test", "rtl read by a strict front end, small with checks", "CHECKS=NVDLA_CHECKS tests/rtl/strict/strict.sh $BUILD small"),
    Group("nightly", "rtl read by a strict front end",
          "tests/rtl/strict/strict.sh $BUILD $(awk -F, 'NR > 1 { print $1 }' csrc/nvdla/configurations.csv)"),
    Group("nightly", "mistakes that a strict front end names", "tests/rtl/strict/planted.py $BUILD"),
    Group("test nightly", "files of the rtl of a configuration", "tests/rtl/files.sh $BUILD"),
    Group("test nightly", "rtl mapped to fpgas", "tests/rtl/synth/synth.sh $BUILD"),
    Group("test nightly", "timing constraints of the rtl", "tests/rtl/sdc/sdc.sh $BUILD"),
    Group("test nightly", "proofs of leaf modules", "tests/formal/prove.sh $BUILD"),
    *(Group(levels, f"engine alone: {b}", f"make bench-{b} && $BUILD/benches/{b}/bench ${{NIGHTLY:+--seeds 1000}}") for levels, b in benches()),
    Group("nightly", "configurations that are drawn: lint, strict front end, streams, planted faults", "tests/rtl/drawn.sh $BUILD"),
    Group("nightly", "nightly plan", "tests/regress/nightly.sh"),
    Group("test nightly", "memories behind the rtl", "tests/replay/memories.sh $BUILD"),
    Group("test nightly", "accuracy of a network", "tests/replay/accuracy.sh $BUILD"),
    Group("test nightly", "estimates against the rtl", "tests/replay/estimate.sh $BUILD"),
    Group("nightly", "estimates against the rtl, a thousand layers",
          "tests/succeeds.sh scripts/fit.py $BUILD --check --count 100 --seed 300000 --work $BUILD/fit-night --mean 2 --worst 25"),
    Group("nightly", "estimates against the rtl, a bus of two atoms and more",
          "tests/succeeds.sh scripts/fit.py $BUILD --check --config small,bus=256 --count 24 --seed 300000 --work $BUILD/fit-night --mean 2 --worst 40"),
    Group("nightly", "dram, ten million requests", "DRAM_REQUESTS=10000000 $BUILD/tests/test_dram"),
    Group("check test", "own traces on rtl and model", "tests/replay/own.sh"),
    Group("check", "a failure seen end to end", "tests/replay/failure.sh $BUILD"),
    Group("test", "random layers on rtl and model, small", "tests/replay/random.sh small 20"),
    Group("test", "random layers on rtl and model, full", "tests/replay/random.sh full 8", "full"),
    Group("nightly", "random layers on rtl and model, full with 16 kernels", "tests/replay/random.sh full,macs=16x16 100"),
    Group("test", "checks inside the rtl find nothing", "tests/replay/checks.sh small 10", "checks"),
    Group("test nightly", "checks inside the rtl name planted faults", "tests/rtl/checks/planted.py $BUILD"),
    Group("nightly", "checks inside the rtl name planted faults, full", "tests/rtl/checks/planted.py $BUILD --config=full"),
    Group("test nightly", "clock gates of the rtl", "tests/replay/clock_gates.py $BUILD", "waves"),
    Group("test nightly", "hangs", "tests/replay/hang.sh $BUILD"),
    Group("test nightly", "hangs: the engine that is named", "tests/replay/hang_faults.py $BUILD"),
    Group("nightly", "hangs: the engine that is named, full", "tests/replay/hang_faults.py $BUILD full"),
    Group("test nightly", "stop at first, copies of a run", "tests/replay/copies.sh $BUILD", "waves"),
    Group("test nightly", "a live driver over vfio-user", "tests/live/serve.py $BUILD", "waves planted taps"),
    Group("nightly", "linux in qemu, on debian 13", "tests/live/linux.sh $BUILD"),
    Group("test nightly", "libnvcosim for other C programs", "tests/live/library.sh $BUILD"),
    Group("test nightly", "traces in pieces", "tests/replay/split.sh $BUILD", "full"),
    Group("test nightly", "a reset for many traces", "tests/replay/fork.py $BUILD"),
    Group("test nightly", "how far it is, and where the time went", "tests/replay/progress.py $BUILD"),
    Group("test nightly", "another rtl with a bug is caught and reported", "tests/replay/second_dut.sh $BUILD"),
    Group("test nightly", "a checkout of the shape of NVIDIA's repository", "tests/replay/nvidia_checkout.sh $BUILD"),
    Group("test nightly", "wrappers of NVDLA with other register buses and ports", "tests/replay/adapters.sh $BUILD"),
    Group("test nightly", "another rtl with the ports of full", "tests/replay/foreign_full.sh $BUILD"),
    Group("test nightly", "compilers, profiles and threads of simulators", "tests/replay/compilers.sh $BUILD"),
    Group("test nightly", "make install", "tests/replay/install.sh $BUILD"),
    Group("test", "the source archive, and what the packages are made of", "tests/package.sh $BUILD short"),
    Group("nightly", "packages, on debian 12 and 13", "tests/package.sh $BUILD"),
    Group("nightly", "make test on debian 13", "env -u NIGHTLY tests/other_debian.sh 13 test"),
    Group("nightly", "the newest verilator",
          "env -u NIGHTLY TESTS='^(unit tests|conformance traces, small|waves|taps|make coverage, few traces)$' tests/other_debian.sh unstable test"),
    Group("test nightly", "taps", "tests/replay/taps.sh $BUILD", "taps"),
    Group("test nightly", "taps of another rtl", "tests/replay/foreign_taps.sh $BUILD"),
    Group("test nightly", "waves", "tests/replay/waves.sh $BUILD", "waves"),
    Group("test nightly", "nvcosim debug names the engine to blame for planted faults", "tests/replay/debug.sh $BUILD", "waves full planted"),
    Group("test", "who disagrees with whom", "tests/replay/verdicts.py $BUILD 6 1", "waves planted"),
    Group("nightly", "who disagrees with whom, many causes", "tests/replay/verdicts.py $BUILD 50 5", "waves planted"),
    Group("nightly", "nvcosim debug names the engine to blame for planted faults, full", "tests/replay/debug.sh $BUILD full", "waves full"),
    Group("test nightly", "regress: buckets of planted faults", "tests/regress/buckets_planted.py $BUILD", "planted"),
    Group("nightly", "regress: buckets of planted faults, full", "tests/regress/buckets_planted.py $BUILD full"),
    Group("test nightly", "report.html in a browser", "tests/replay/html.sh $BUILD"),
    Group("test nightly", "timelines as trace events", "tests/replay/timeline.py $BUILD"),
    Group("test nightly", "regress: simulators that crash, hang, eat, fill, babble", "tests/regress/faults.sh"),
    Group("test nightly", "regress: interrupted and resumed", "tests/regress/interrupt.sh"),
    Group("test nightly", "regress: failures come into buckets", "tests/regress/buckets.sh"),
    Group("test nightly", "regress: killed at random moments and resumed", "tests/regress/killed.py $BUILD"),
    Group("test nightly", "junit.xml and summary of a night", "tests/regress/outputs.py $BUILD", "outputs"),
    Group("test nightly", "page of a night in a browser", "tests/regress/page.py $BUILD", "outputs"),
    Group("nightly", "bisect over a repository of rtl", "tests/regress/bisect.sh $BUILD"),
    Group("test nightly", "regress: recipes for gitlab, github and cron", "tests/regress/ci.py $BUILD"),
    Group("test nightly", "regress: nights side by side", "tests/regress/compare.py $BUILD"),
    Group("test nightly", "qualify: faults that a corpus notices", "tests/regress/qualify.sh $BUILD"),
    Group("test nightly", "regress on a slurm cluster", "tests/regress/slurm.sh $BUILD"),
    Group("test nightly", "readme: commands and their outputs", "tests/readme.py $BUILD", "waves"),
    Group("test nightly", "icarus, four-state", "make icarus-smoke"),
    Group("nightly", "icarus, four-state, full", "make icarus-smoke CONFIG=full"),
    Group("test", "random layers on the hardware form of the multipliers, full with 16 kernels",
          "OPT=-O0 tests/replay/hardware_forms.sh $BUILD full,macs=16x16 16"),
    Group("nightly", "conformance traces, full, hardware form of the multipliers", "tests/replay/hardware_forms.sh $BUILD"),
    Group("test", "conformance traces, small", "tests/replay/conformance.sh small"),
    Group("test", "conformance traces, full", "tests/replay/conformance.sh full", "full"),
    *(Group("test", f"conformance traces, {c}, model", f"tests/replay/conformance.sh {c} model") for c in ("small_256", "medium_512", "large")),
    Group("test nightly", "logs of drivers: what stopped them", "tests/doctor/logs.py $NVCOSIM"),
    Group("test nightly", "logs of a driver that is simulated", "tests/doctor/logs_made.py $NVCOSIM"),
    Group("nightly", "logs of a driver that is simulated, more of them", "tests/doctor/logs_made.py $NVCOSIM --seeds 20 --first 100"),
    Group("test nightly", "logs of several devices and runs in one file", "tests/doctor/mixed.py $NVCOSIM"),
    Group("test nightly", "logs as people paste them", "tests/doctor/posts.py $NVCOSIM"),
    Group("test nightly", "wrong outputs: what they have in common", "tests/doctor/outputs.py $NVCOSIM"),
    Group("test nightly", "faults of a bus, named from the output", "tests/doctor/bus.py $NVCOSIM"),
    Group("nightly", "faults of a bus, all networks", "scripts/atlas.py $BUILD --judge"),
    Group("test nightly", "programming of two captures", "tests/doctor/programming.py $NVCOSIM"),
    Group("test nightly", "captures of drivers", "tests/import/captures.py $NVCOSIM $BUILD/import/captures --rtl"),
    Group("test nightly", "captures in every form that the formats have", "tests/import/generate.py $NVCOSIM $BUILD/import/forms 8"),
    Group("test nightly", "drivers that are simulated",
          f"tests/import/driver.py $NVCOSIM $BUILD $BUILD/import/driver --rtl --seeds=3,4 {DRIVERS}", "full"),
    Group("test nightly", "exported programs on the model, and for riscv64 and arm", "tests/export/programs.sh $BUILD"),
    Group("test nightly", "exported traces read as what they were made from", "tests/export/formats.sh $BUILD"),
    Group("test nightly", "cycles against the public rtl", "tests/replay/cycles.py $NVCOSIM"),
    Group("test nightly", "loadables", "make $BUILD/asan/tests/damage && tests/loadable/run.sh $BUILD", "sanitized full"),
    Group("test nightly", "quantised networks",
          "make $BUILD/asan/tests/damage $BUILD/reference && tests/quantised/run.sh $BUILD", "sanitized"),
    Group("test", "a zoo of networks, our own", "tests/quantised/zoo.sh $BUILD"),
    Group("nightly", "a zoo of networks", "make $BUILD/nvcosim-large $BUILD/nvcosim-small_256 && tests/quantised/zoo.sh $BUILD", "full"),
    Group("test", "fuzzing", "make -j $JOBS fuzz FUZZ_RUNS=2000", "sanitized"),
    Group("nightly", "fuzzing, long", "make -j $JOBS fuzz FUZZ_RUNS=2000000", "sanitized"),
    Group("nightly", "line coverage of the rtl, at least 95 %", "tests/succeeds.sh make coverage COVERAGE_MINIMUM=95"),
    Group("nightly", "make bench", "tests/succeeds.sh make bench"),
    # Every other target of the Makefile once, in its smallest form.
    Group("test", "make bench, one round",
          "tests/succeeds.sh make bench BENCH_ROUNDS=1 BENCH_TRACES=traces/conformance/small/rand_sdp_000.nvt.gz", "waves taps full"),
    Group("test nightly", "clocks a second in the form of rtlmeter", "tests/replay/rtlmeter.sh $BUILD", "full"),
    Group("test", "make coverage, few traces", "tests/succeeds.sh make coverage COVERAGE_LAYERS=0 COVERAGE_EVERY=10 NVDLA_CONFORMANCE=none"),
    Group("test", "make nightly, what it would run", "make --no-print-directory nightly LIST=1"),
]
