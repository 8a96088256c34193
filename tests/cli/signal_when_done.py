#!/usr/bin/python3
"""Runs a command, sends it a signal when it has printed the result of a first trace, and expects its status.

usage: signal_when_done.py SIGNAL STATUS COMMAND...
"""
import signal
import subprocess
import sys

number, status = int(sys.argv[1]), int(sys.argv[2])
run = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
line = run.stdout.readline()
if not line.startswith("PASS good"):
    sys.exit(f"first line: {line}")
run.send_signal(number)
if run.wait(30) != status:
    sys.exit(f"exit status {run.returncode}, expected {status}")
