#!/usr/bin/python3
"""Unit tests of the Python package. Ends with a line "N passed, N failed[, N skipped]"; failures come
before it.

usage: tests/python/run.py [TEST...]      TEST: a module, test_plan, or a part of one, test_plan.Messages
"""
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def main():
    os.chdir(HERE.parent.parent)
    sys.path[:0] = [str(HERE), "python"]
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    failed = {str(test).split(" (")[0] for test, _ in result.failures + result.errors}
    skipped = len(result.skipped)
    print(f"{result.testsRun - len(failed) - skipped} passed, {len(failed)} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
