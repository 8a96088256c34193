#!/usr/bin/python3
"""Runs the plan p.yml and does some actions one after the other once its slow tests run. Expects the exit status, and that all processes
that it started are gone.

usage: TREE=PROGRAM signal_night.py STATUS ACTION...
  ACTION  number of a signal to the runner; go: lets the slow tests pass; relink: replaces the simulator by a file that is not a program;
          other: a second runner has to refuse the same night
"""
import os
import subprocess
import sys

from processes import all_gone, pids, wait_for


def heard(text):
    with open("said", encoding="utf-8") as f:
        return text in f.read()


def second_runner(tree, pid):
    for words in ["p.yml", "--resume"], ["--database=nvcosim-nights/nights.db", "--resume=1"]:
        other = subprocess.run([tree, "regress", *words], capture_output=True, text=True, check=False)
        print(other.stdout, other.stderr)
        if other.returncode != 2 or f"is still running as process {pid}" not in other.stderr:
            sys.exit("a second runner is not refused")


def act(action, actions, run, tree):
    if action == "go":
        open("go", "w", encoding="ascii").close()
    elif action == "relink":
        os.remove(tree + "-small")
        with open(tree + "-small", "w", encoding="ascii") as f:
            f.write("no program\n")
    elif action == "other":
        second_runner(tree, run.pid)
    else:
        run.send_signal(int(action))
        if action == "2" and actions.count("2") + actions.count("go") > 1:
            wait_for(lambda: heard("interrupted: waiting for the 2 running tests; once more ends them at once"), "no word of the interruption")


def main():
    status, actions, tree = int(sys.argv[1]), sys.argv[2:], os.environ["TREE"]
    for name in "pids", "go", "started":
        if os.path.exists(name):
            os.remove(name)
    with open("said", "w", encoding="utf-8") as said:
        run = subprocess.Popen([tree, "regress", "p.yml", "-j", "2"], stderr=said, start_new_session=True)
    try:
        wait_for(lambda: len(pids()) == 2 + 6, "the slow tests do not start")
        for action in actions:
            act(action, actions, run, tree)
    except SystemExit:
        run.kill()
        raise
    run.wait()
    with open("said", encoding="utf-8") as said:
        print(said.read())
    if run.returncode != status:
        sys.exit(f"exit status {run.returncode}, expected {status}")
    wait_for(all_gone, "processes remain")


main()
