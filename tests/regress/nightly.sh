#!/bin/bash
# The nightly run of this project: plans/nightly.yml through `nvcosim regress`, into nvcosim-nights/, which keeps all nights. Its tests are counted
# from the night's junit.xml; added traces that are not there (NVDLA_CONFORMANCE) are skipped tests.
#
# usage: nightly.sh [PLAN]     NIGHTS=FOLDER in the environment: another folder than nvcosim-nights
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
nvcosim=${NVCOSIM:-build/nvcosim}
nights=${NIGHTS:-nvcosim-nights}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$nvcosim" regress "${1:-plans/nightly.yml}" --out "$nights" 2>&1 | tee "$log"
status=$?
folder=$(sed -nE 's/^night [0-9]+ of .*; (.*)$/\1/p' "$log" | head -n 1)
[ -n "$folder" ] || exit "$status"
python3 - "$folder/junit.xml" "$log" <<'PY'
import sys
import xml.etree.ElementTree as xml

root = xml.parse(sys.argv[1]).getroot()
total, failed = int(root.get("tests")), int(root.get("failures")) + int(root.get("errors"))
missing = [line for line in open(sys.argv[2], encoding="utf-8") if "the item is optional, nothing of it runs" in line]
for line in missing:
    print("SKIPPED:", line.strip())
print(f"{total - failed} passed, {failed} failed, {len(missing)} skipped")
PY
exit "$status"
