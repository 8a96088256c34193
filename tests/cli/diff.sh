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
finish
