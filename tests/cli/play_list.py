#!/usr/bin/python3
"""Plays lists of tests by `nvcosim play-list`, as a runner would, on a stand-in of the simulator and on the model: their order and number at
a time, what is noted in the ledger, orders, wrong lines, crashes, and that nothing is left running when either side is killed.

usage: play_list.py NVCOSIM
"""
import fcntl
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

from counts import check, finish, runs, scratch, until
from processes import pids

NVCOSIM = os.path.realpath(sys.argv[1])
TREE = pathlib.Path(__file__).resolve().parents[2]
TRACE = str(TREE / "traces/conformance/small/rand_sdp_000.nvt.gz")
PATIENCE = 60  # seconds
# What a test does is in the name of its trace. A server it cannot be.
STAND_IN = r"""#!/bin/bash
for word; do
    case $word in
    --serve=*) exit 1 ;;
    --name=*) name=${word#*=} ;;
    --seed=*) seed=${word#*=} ;;
    --ledger=*) IFS=, read -r ledger test _ <<<"${word#*=}" ;;
    esac
    trace=$word
done
result="{\"verdict\":\"PASS\",\"status\":0,\"config\":\"small\",\"dut\":\"rtl+model\",\"reason\":\"\",\"trace\":\"$name\",\"path\":\"$trace\",\"seed\":$seed}"
case $trace in
*slow*)
    echo $$ >>pids
    case $trace in *group*) away= ;; *) away=setsid ;; esac
    ($away sleep 1000 & echo $! >>pids; wait) &
    echo $! >>pids
    while [ ! -e go ]; do sleep 0.02; done
    ;;
*crash*) echo "last words"; kill -SEGV $$ ;;
*silent*) exit 0 ;;
esac
[ -z "$ledger" ] || printf '\n{"test":%s,"at":1,"result":%s}\n' "$test" "$result" >&"$ledger"
echo "$result" >&3
"""


def options(number=0, **changed):
    words = {"config": "small", "dut": "both", "out": os.path.abspath("reports"), **changed}
    return {"options": number, "words": [f"--{k}={v}" for k, v in words.items()] + ["--only-failed"]}


def test(number, kind="quick", **changed):
    return {"test": number, "trace": f"/traces/{kind}.nvt", "name": f"{kind}_{number}", "config": "small", "options": 0, "seed": 7,
            "command": f"nvcosim run {kind}", **changed}


class Runner:
    """The other side of a list: lines out, answers in."""

    def __init__(self, *words, files=()):
        self.process = subprocess.Popen([NVCOSIM, "play-list", "--simulators=.", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, pass_fds=files)
        self.answers, self.rest = [], b""

    def send(self, *lines):
        for line in lines:
            self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")
        self.process.stdin.flush()

    def wait_for(self, done, what):
        """Reads answers until that is true of them."""
        end = time.monotonic() + PATIENCE
        while not done(self.answers):
            if time.monotonic() > end or not select.select([self.process.stdout], [], [], end - time.monotonic())[0]:
                raise AssertionError(f"{what}: {self.answers}")
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                raise AssertionError(f"{what}: {self.answers} {self.process.stderr.read()}")
            *lines, self.rest = (self.rest + got).split(b"\n")
            self.answers += [json.loads(line) for line in lines]

    def end(self):
        """Reads the rest; returns the exit status and what was said on stderr."""
        rest, said = self.process.communicate(timeout=PATIENCE)
        self.answers += [json.loads(line) for line in (self.rest + rest).splitlines()]
        return self.process.returncode, said.decode()


def started(answers):
    return [a["started"] for a in answers if "started" in a]


def done(answers):
    return {a["done"]: a for a in answers if "done" in a}


def wait_for(condition, what):
    assert until(condition, PATIENCE), what


def all_gone():
    wait_for(lambda: not any(map(runs, pids())), f"still running: {[p for p in pids() if runs(p)]}")


def slow_tests(runner, count, *more, kind="slow"):
    """Starts tests that end when the file `go` is there, each with two more processes, one of which leaves its group (slow)."""
    runner.send(options(), *(test(i, kind) for i in range(count)), *more)
    runner.wait_for(lambda answers: len(started(answers)) == count, "tests do not start")
    wait_for(lambda: len(pids()) == 3 * count, "tests do not run")


# ---- checks ----

def in_order_so_many_at_a_time():
    runner = Runner("-j", "3")
    slow_tests(runner, 3, *(test(i) for i in range(3, 30)), {"end": True})
    time.sleep(0.3)
    assert started(runner.answers) == [0, 1, 2]
    open("go", "w", encoding="ascii").close()
    assert runner.end() == (0, "")
    assert started(runner.answers) == list(range(30)), runner.answers
    assert sorted(done(runner.answers)) == list(range(30))
    assert runner.answers[-1] == {"ended": "done"}
    result = done(runner.answers)[29]["result"]
    assert result["verdict"] == "PASS" and result["seed"] == 7 and result["trace"] == "quick_29", result
    assert result["command"] == "nvcosim run quick" and result["exit_status"] == 0 and result["seconds"] > 0
    all_gone()


def results_of_tests_that_fail():
    runner = Runner()
    runner.send(options(), options(5, stall=2000), test(1, "crash"), test(2, "silent"), test(3), test(4, options=5), {"end": True})
    assert runner.end() == (0, "")
    results = {n: a["result"] for n, a in done(runner.answers).items()}
    assert results[1]["verdict"] == "CRASH" and "signal 11" in results[1]["reason"] and "last words" in results[1]["output"], results[1]
    assert results[2]["verdict"] == "CRASH" and "gave no verdict" in results[2]["reason"]
    assert results[3]["verdict"] == "PASS"
    assert results[4]["verdict"] == "ERROR" and "found '2000'" in results[4]["reason"], results[4]
    assert started(runner.answers) == [1, 2, 3]
    assert os.path.exists("reports/crash_1/report.json")


def limits():
    runner = Runner()
    runner.send(options(), test(1, "slow", max_seconds=0.3), {"end": True})
    assert runner.end() == (0, "")
    result = done(runner.answers)[1]["result"]
    assert result["verdict"] == "HANG" and result["limit"] == "--max-seconds" and "0.3 seconds" in result["reason"], result
    all_gone()


def the_ledger_has_all_results():
    """By the process of the test; of one that crashed by the list, which names the host."""
    with open("ledger", "a+", encoding="utf-8") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)
        runner = Runner(f"--ledger={ledger.fileno()}", files=[ledger.fileno()])
        runner.send(options(), test(8), test(9, "crash"), {"end": True})
        assert runner.end() == (0, "")
        assert done(runner.answers)[8]["noted"] and done(runner.answers)[9]["noted"]
        noted = [json.loads(line) for line in pathlib.Path("ledger").read_text(encoding="utf-8").splitlines() if line]
        assert [(entry["test"], "host" in entry) for entry in noted] == [(8, False), (9, True)]
        again = Runner()
        again.send(options(), test(8, noted=noted[0]["result"]), test(9, noted={"no": "result"}), {"end": True})
        assert again.end() == (0, "")
        assert started(again.answers) == []
        result = done(again.answers)[8]
        assert result["noted"] and result["result"]["verdict"] == "PASS" and result["result"]["command"] == "nvcosim run quick"
        assert done(again.answers)[9]["result"] is None


def on_the_model():
    runner = Runner("-j", "2", "--progress")
    layer = {"generator": "sdp", "seed": 3}
    runner.send(options(dut="model"), test(1, trace=TRACE), test(2, trace=os.path.abspath("made.nvt.gz"), layer=layer),
                test(3, trace="/nowhere.nvt"), {"end": True})
    assert runner.end() == (0, "")
    verdicts = {n: a["result"]["verdict"] for n, a in done(runner.answers).items()}
    assert verdicts == {1: "PASS", 2: "PASS", 3: "ERROR"}, runner.answers
    assert os.path.exists("made.nvt.gz")


def stop_lets_running_tests_finish():
    runner = Runner("-j", "2")
    slow_tests(runner, 2, test(2), test(3))
    runner.send({"stop": True})
    time.sleep(0.2)
    open("go", "w", encoding="ascii").close()
    assert runner.end() == (0, "")
    assert sorted(done(runner.answers)) == [0, 1] and runner.answers[-1] == {"ended": "stopped"}


def kill_ends_them():
    runner = Runner("-j", "2")
    slow_tests(runner, 2, test(2))
    runner.send({"kill": True})
    assert runner.end() == (0, "")
    assert not done(runner.answers) and runner.answers[-1] == {"ended": "killed"}
    all_gone()


def the_end_of_the_input_ends_them():
    runner = Runner("-j", "2")
    slow_tests(runner, 2, test(2))
    status, said = runner.end()
    assert status == 2 and said == 'nvcosim play-list: the list ended without {"end": true}; what ran was ended\n', said
    assert not done(runner.answers)
    all_gone()


def a_reader_that_is_gone_ends_them():
    runner = Runner("-j", "2")
    slow_tests(runner, 2, {"end": True})
    runner.process.stdout.close()
    assert runner.process.wait(PATIENCE) == 2
    assert "no one reads the results" in runner.process.stderr.read().decode()
    all_gone()


def signals():
    for number, status in (signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL):
        runner = Runner("-j", "2")
        slow_tests(runner, 2, kind="slow" if number == signal.SIGTERM else "slow_group")
        runner.process.send_signal(signal.SIGINT)
        runner.process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        assert runner.process.poll() is None
        runner.process.send_signal(number)
        assert runner.end()[0] == status
        all_gone()
        os.remove("pids")


def a_killed_runner_leaves_nothing():
    """A process between this one and the list is killed, before and after it has sent all."""
    for last in "", '{"end":true}\n':
        lines = "".join(json.dumps(line) + "\n" for line in (options(), test(0, "slow"), test(1, "slow"))) + last
        code = ("import subprocess, sys, time\n"
                f"p = subprocess.Popen([{NVCOSIM!r}, 'play-list', '-j2', '--simulators=.'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
                f"p.stdin.write({lines!r}.encode()); p.stdin.flush(); open('list', 'w').write(str(p.pid)); time.sleep(1000)\n")
        with subprocess.Popen([sys.executable, "-c", code]) as middle:
            wait_for(lambda: len(pids()) == 6, "tests do not run")
            middle.kill()
        with open("pids", "a", encoding="ascii") as file:
            file.write(pathlib.Path("list").read_text(encoding="ascii") + "\n")
        all_gone()
        os.remove("pids")


WRONG = [
    ('{"test": 1', "line 2: '}' expected near end of file"),
    ("[]", 'line 2: expected a test, options with their words, or {"end": true}, {"stop": true} or {"kill": true} (docs/results.md)'),
    (test(1, options=4), 'line 2: "options": found 4, which no line before gives'),
    (test(1, config="huge"), "line 2: there is no configuration 'huge'; expected one of full, "),
    (test(1, sed=4), "line 2: found a member 'sed', expected test, trace, name, config, options, seed,"),
    (test(-1), 'line 2: "test": expected a whole number, 0 or more'),
    (test(1, layer={"seed": 4}), "line 2: \"layer\": there is no member 'generator'"),
    ({"test": 1}, "line 2: there is no member 'trace'"),
    (options(), "line 2: options 0 were given before"),
    ({"end": True}, 'line 3: found a test after {"end": true}'),
]


def wrong_lines():
    for line, message in WRONG:
        runner = Runner()
        runner.send(options(), line, *([test(1)] if line == {"end": True} else []))
        status, said = runner.end()
        assert status == 2 and said.startswith("nvcosim play-list: " + message), said
        assert runner.answers[-1] == {"ended": "killed"}


def a_slow_reader_does_not_block_tests():
    """What is not read waits in the list, not in the tests: they all note their results."""
    with open("ledger", "a", encoding="utf-8") as ledger:
        runner = Runner("-j", "4", f"--ledger={ledger.fileno()}", files=[ledger.fileno()])
        runner.send(options(), *(test(i, name="n" * 200 + str(i)) for i in range(400)), {"end": True})
        wait_for(lambda: pathlib.Path("ledger").read_text(encoding="utf-8").count('"test"') == 400, "tests wait")
        assert runner.end() == (0, "")
        assert sorted(done(runner.answers)) == list(range(400))


def usage():
    for words, message in (["-j0"], "--jobs: found '0', expected a number from 1 to 1024"), (["--ledger=77"], "--ledger: found '77', expected"):
        run = subprocess.run([NVCOSIM, "play-list", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert run.returncode == 2 and message in run.stderr, run.stderr


CHECKS = [in_order_so_many_at_a_time, results_of_tests_that_fail, limits, the_ledger_has_all_results, on_the_model,
          stop_lets_running_tests_finish, kill_ends_them, the_end_of_the_input_ends_them, a_reader_that_is_gone_ends_them, signals,
          a_killed_runner_leaves_nothing, wrong_lines, a_slow_reader_does_not_block_tests, usage]

for play in CHECKS:
    with scratch() as folder:
        os.chdir(folder)
        pathlib.Path("nvcosim-small").write_text(STAND_IN, encoding="ascii")
        os.chmod("nvcosim-small", 0o755)
        try:
            play()
            check(play.__name__, True)
        except AssertionError as error:
            check(play.__name__, False, f"{error!s:.3000}")
        os.chdir("/")
finish()
