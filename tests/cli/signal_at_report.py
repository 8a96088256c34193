#!/usr/bin/python3
"""Runs a command and sends it SIGTERM when it has printed the name of its fifth report; ends with its status.

usage: signal_at_report.py COMMAND...
"""
import subprocess
import sys

run = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
reports = 0
for line in run.stderr:
    if "report:" in line:
        reports += 1
        if reports == 5:
            run.terminate()
sys.exit(run.wait())
