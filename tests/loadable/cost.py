#!/usr/bin/python3
"""Runs a command and prints the processor seconds and the kilobytes of memory that it took.

usage: cost.py COMMAND...
"""
import resource
import subprocess
import sys

subprocess.run(sys.argv[1:], check=False)
cost = resource.getrusage(resource.RUSAGE_CHILDREN)
print(cost.ru_utime, cost.ru_maxrss)
