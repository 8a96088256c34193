#!/bin/bash
# nvcosim diff.
# usage: NVCOSIM=build/nvcosim tests/cli/diff.sh
. "$(dirname "$0")/frame.sh"

printf 'abcdefghijklmnopabcdefghijklmnop' >a.bin
printf 'abcdefghijkLmnopabcdefghIjklmnop' >b.bin
gzip -c a.bin >a.bin.gz
head -c 12 a.bin.gz >cut.bin.gz
head -c 20 a.bin >short.bin
nv diff a.bin a.bin.gz; check diff_equal 0 "equal"
nv diff a.bin b.bin; check diff_different 1 "first difference at 0x0000000b: a.bin has 0x6c, b.bin has 0x4c" "2 bytes differ"
nv diff --base 0x80000000 a.bin.gz b.bin; check diff_base 1 "first difference at 0x8000000b"
nv diff a.bin short.bin; check diff_sizes 1 "the sizes differ: a.bin has 32 bytes, short.bin has 20 bytes" '!first difference'
nv diff --cube base=0x80000000,w=1,h=1,c=15,line=8,surf=24,atom=8 a.bin b.bin
check diff_cube 1 "first difference at 0x80000018: a.bin has 0x69, b.bin has 0x49; surface 1, line 0, column 0, channel 8"
that diff_cube_count grep -q '^1 byte differs' stdout
nv diff --cube w=2,h=1,c=8,line=16,surf=16,atom=8 a.bin b.bin; check diff_cube_element 1 "surface 0, line 0, column 1, channel 3"
nv diff --cube w=2,h=1,c=4,line=16,surf=16,atom=8,bytes=2 a.bin b.bin; check diff_cube_bytes 1 "column 1, channel 1, byte 1"
nv diff --cube w=1,h=1,c=8,line=8,surf=8,atom=8,batches=2,batch=8 a.bin b.bin; check diff_cube_batch 1 "batch 1, surface 0, line 0, column 0, channel 3"
nv diff --cube w=1,h=1,c=8,line=8,surf=8,atom=8 a.bin b.bin; check diff_cube_equal 0 "equal"
nv diff --cube w=9,h=1,c=8,line=72,surf=72,atom=8 a.bin b.bin; check diff_cube_outside 2 "does not lie inside both images"
nv diff --cube w=1,h=1 a.bin b.bin; check diff_cube_incomplete 2 "--cube: c= is missing"
nv diff --cube w=1,x=1 a.bin b.bin; check diff_cube_unknown 2 "--cube: found 'x=1'"
nv diff --cube w=0,h=1,c=8,line=8,surf=8,atom=8 a.bin b.bin; check diff_cube_zero 2 "at least 1"
nv diff --cube w=q,h=1,c=8,line=8,surf=8,atom=8 a.bin b.bin; check diff_cube_number 2 "--cube: w: found 'q', expected a number"
nv diff --base here a.bin b.bin; check diff_bad_base 2 "--base: found 'here', expected an address"
nv diff a.bin; check diff_one_argument 2 "expected two images"
nv diff a.bin b.bin c.bin; check diff_three_arguments 2 "found 'c.bin', expected two images"
nv diff a.bin none.bin; check diff_missing 2 "none.bin"
nv diff a.bin cut.bin.gz; check diff_truncated 2 "cut.bin.gz"

# Traces and captures: the programming.
captures=$ROOT/traces/captures/synth_small_rand_multi_000
nv diff --config small "$captures/dmesg.log" "$captures/mmiotrace.txt"; check diff_captures 0 "equal (19 launches)"
nv diff --from vp "$captures/vp.log" "$captures/vp.log"; check diff_from 0 "equal (19 launches)"
nv diff --config small good/good.cfg good/good.cfg; check diff_trace_equal 0 "equal ("
"$NVCOSIM" import --config small -q --no-lint -o there.nvt "$captures/dmesg.log" && "$NVCOSIM" import --config small -q --no-lint \
    --map 0x90000000:0xa0100000:0x100000 -o moved.nvt "$captures/dmesg.log"
nv diff there.nvt moved.nvt; check diff_moved 0 "D_DST_BASE_ADDR_LOW: address 0x90000000 and 0xa0100000" "equal except for 1 address"
sed 's/^\(.*SDP\.D_CVT_SCALE\) .*/\1 0x7/' there.nvt >scale.nvt
nv diff there.nvt scale.nvt; check diff_scale 1 "D_CVT_SCALE:" "different:" "CVT_SCALE=7"
nv diff "$captures/dmesg.log" "$captures/dmesg_dropped.log"; check diff_bad_capture 2 "dmesg_dropped.log"
nv diff --from nonsense "$captures/dmesg.log" "$captures/dmesg.log"; check diff_bad_format 2 "nonsense"
nv diff there.nvt none.nvt; check diff_missing_trace 2 "none.nvt"
nv diff --config full "$captures/dmesg.log" there.nvt; check diff_two_configs 2 "configuration"
command=(python3 "$ROOT/python/command.py" "$PWD/gone" diff there.nvt there.nvt); check diff_program_gone 2 "nvcosim diff: $PWD/gone: No such file"
finish
