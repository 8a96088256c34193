#!/usr/bin/python3
"""Writes what is written about a night, from any database: for tests of the outputs, which need nights that no run makes.

usage: outputs_of_night.py DATABASE NIGHT FOLDER     leaves FOLDER/index.html, FOLDER/junit.xml, FOLDER/summary.txt
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from nvcosim.pages.junit import junit_write
from nvcosim.pages.page import page_write
from nvcosim.pages.review import review_read
from nvcosim.pages.summary import summary_text
from nvcosim.store.database import Store
from nvcosim.tool import Failure

if len(sys.argv) != 4:
    sys.exit("usage: outputs_of_night.py DATABASE NIGHT FOLDER")
folder = pathlib.Path(sys.argv[3])
try:
    with Store.open_read_only(sys.argv[1]) as store:
        review = review_read(store, int(sys.argv[2]))
    page = folder / "index.html"
    (folder / "summary.txt").write_text(summary_text(review, str(page)), encoding="utf-8")
    junit_write(review, str(folder / "junit.xml"))
    page_write(review, str(page))
except Failure as failure:
    sys.exit(f"outputs: {failure}")
