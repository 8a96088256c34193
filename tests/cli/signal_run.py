#!/usr/bin/python3
"""Runs a command, sends it a signal when two simulators have started, and expects its status and that both simulators end.

usage: signal_run.py SIGNAL STATUS COMMAND...     STATUS -: any; IGNORED=SIGNALS in the environment: numbers that the command inherits as ignored
"""
import os
import signal
import subprocess
import sys

from processes import all_gone, pids, wait_for


def inherited():
    ignored = [int(number) for number in os.environ.get("IGNORED", "").split()]
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)


number, status = int(sys.argv[1]), sys.argv[2]
run = subprocess.Popen(sys.argv[3:], preexec_fn=inherited)
wait_for(lambda: len(pids()) == 2)
run.send_signal(number)
if str(run.wait()) != status and status != "-":
    sys.exit(f"exit status {run.returncode}, expected {status}")
wait_for(all_gone)
