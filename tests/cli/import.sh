#!/bin/bash
# nvcosim import: options, messages, how accesses are translated. Whole captures: tests/import/captures.py.
# usage: NVCOSIM=build/nvcosim tests/cli/import.sh
. "$(dirname "$0")/frame.sh"

# The layer of good.cfg as a driver does it, with an interrupt service behind it, in several forms: form NAME [BASE]
"$NVCOSIM" convert good/good.cfg plain.nvt >/dev/null
form() { "$ROOT/tests/cli/captures.py" form "$@"; }
form kmd >t.log
nv import t.log -o t.nvt --accesses t.acc
check import_kmd 0 "t.log: kmd, 31 writes and 8 reads" "2 launches, 1 interrupt waits, 1 polls (of 3 reads)" "SDP group 0, writes 8x1x8 at primary 0x80010000" \
    "0x40 bytes of primary memory at 0x80000000: their content is unknown" "lint: 0 errors, 0 warnings" "play it with: nvcosim run --config small t.nvt"
that import_accesses test "$(sed -n '1p;$p' t.acc | tr '\n' '|')$(wc -l <t.acc)" = "R 0x01000 0x00303031|R 0x0100c 0x00000000|39"
that import_poll grep -qx 'poll SDP.S_STATUS == 0x0 mask=0x3' t.nvt
that import_wait sh -c 'grep -A1 -x "wait high" t.nvt | grep -qx "poll GLB.S_INTR_STATUS == 0x1 mask=0x1 # SDP_0"'
that import_check grep -qx 'read_check GLB.S_NVDLA_HW_VERSION == 0x303031' t.nvt
nv run --dut model t.nvt; check import_plays 0 "PASS t "
# The same of a driver that has run before: group 1 is first in turn. pointer: it reads which.
second() { "$ROOT/tests/cli/captures.py" second "$@"; } # [pointer]
for pointer in "" pointer; do
    second $pointer >s.log
    nv import s.log -o s.nvt; check "import_second_group_$pointer" 0 "the capture begins with group 1 of SDP_RDMA, SDP: a driver ran before" "SDP group 1, writes 8x1x8"
    that "import_second_group_exchanged_$pointer" sh -c 'grep -qx "# SDP group 0, writes 8x1x8 at primary 0x80010000" s.nvt &&
        grep -A1 -x "wait high" s.nvt | grep -qx "poll GLB.S_INTR_STATUS == 0x1 mask=0x1 # SDP_0" && grep -qx "poll SDP.S_STATUS == 0x0 mask=0x3" s.nvt &&
        grep -qx "reg_write SDP.S_POINTER 0x0" s.nvt'
    nv run --dut model s.nvt; check "import_second_group_plays_$pointer" 0 "PASS s "
done
# Both groups are armed, the second one first, and group 0 is done first: so it was first in turn.
second | sed '/rval(0x10000)/,$d' >s.both
"$ROOT/tests/cli/captures.py" both >>s.both
nv import s.both -o s.nvt; check import_second_group_not 0 '!a driver ran before'
# A line that arms a group is missing: no driver ran before, whose groups the log programs itself.
sed 130d "$ROOT/traces/captures/synth_small_rand_multi_002/dmesg.log" >unarmed.log
nv import unarmed.log -o unarmed.nvt; check import_missing_arming 1 "line 263: interrupt SDP_0, but group 0 of SDP was never armed: is a line missing" '!a driver ran before'
nv import -q t.log -o t2.nvt; check import_quiet 0 '!kmd' '!play it'
nv import t.log; check import_default_name 0 "t.nvt.gz: play it with"
nv import t.log -o t2.nvt.gz --mem 0x80000000=good/t.bin; check import_mem_missing 2 "--mem: good/t.bin: cannot open"
that import_leaves_nothing test ! -e t2.nvt.gz
head -c 64 /dev/zero >zero.bin
nv import t.log -o t3.nvt --mem primary:0x80000000=zero.bin; check import_mem 0 "64 bytes known at first, 0 filled at random" '!their content is unknown'
nv import t.log -o t3.nvt --mem 0x80000000; check import_mem_form 2 "--mem: found '0x80000000', expected ADDRESS=FILE"
nv run --dut model --dump 0x80010000:64=left.bin --dump primary:0x80000000:16=first.bin.gz t3.nvt; check run_dump 0 "PASS t3"
that run_dump_sizes sh -c '[ "$(stat -c %s left.bin)" = 64 ] && zcat first.bin.gz | cmp -n 16 - zero.bin'
nv import t.log -o t6.nvt --mem 0x80000000=zero.bin --golden 0x80010000=left.bin; check import_golden 0 "64 to be checked" '!guessed: 1 memory check'
nv run --dut model t6.nvt; check import_golden_holds 0 "PASS t6"
printf '%064d' 1 >left.bin; nv import -q t.log -o t6.nvt --mem 0x80000000=zero.bin --golden 0x80010000=left.bin; check import_golden_other 0
nv run --dut model t6.nvt; check import_golden_fails 1 "FAIL t6" "golden"
nv import t.log -o t7.nvt --golden 0x80010000; check import_golden_form 2 "--golden: found '0x80010000', expected ADDRESS=FILE"
nv run --dump 0x80010000=x t3.nvt; check run_dump_form 2 "--dump: found '0x80010000=x', expected ADDRESS:SIZE=FILE"
nv run --dut model --dump secondary:0:4=x.bin t3.nvt; check run_dump_secondary 2 "this configuration has no secondary memory"
nv run --dump 0:4=x.bin t3.nvt t6.nvt; check run_dump_two 2 "--dump: found 2 traces, expected one"
nv import t.log -o t4.nvt --mem 0x80000000=zero.bin --map 0x80000000:0x90000000:0x10000000
check import_map 0 "writes 8x1x8 at primary 0x90010000"
that import_map_moves sh -c '! grep -q 0x8000 t4.nvt && grep -q "mem_load primary 0x90000000" t4.nvt && grep -qx "reg_write SDP_RDMA.D_SRC_BASE_ADDR_LOW 0x90000000" t4.nvt'
nv run --dut model t4.nvt; check import_map_plays 0 "PASS t4 "
nv import t.log -o t5.nvt --map 1:2; check import_map_form 2 "--map: found '1:2', expected FROM:TO:SIZE"
nv import t.log -o t5.nvt --map 0:0x10:0x20 --map 0x10:0:0x10; check import_map_overlap 2 "--map 0x0:... and --map 0x10:... overlap"
nv import t.log -o t5.nvt --map 0:0x100000000:0x20; check import_map_bits 2 "leaves the 32 address bits of configuration small"
printf '[ 1.0] dla_reg_write: addr(0x3080, 0xc20), wval(0x600)\n[ 1.1] dla_reg_write: addr(0x3010, 0xc04), wval(0x1)\n' >absent.log # reset: from CVSRAM
nv import absent.log -o absent.nvt; check import_memory_that_small_has_not 1 '!cannot be read'
that import_leaves_it_out sh -c 'grep -q "CDMA.D_OP_ENABLE 0x1" absent.nvt && ! grep -q "^mem_.* secondary" absent.nvt'
nv import --config full t.log -o t5.nvt; check import_other_map 2 "configuration full has no register there"
nv import --config full --force t.log -o t5.nvt; check import_forced 1 "dropped: t.log:" "configuration full has no register there"
nv import --from vcd t.log -o t5.nvt; check import_wrong_format 2 "t.log: ends before \$enddefinitions"
nv import --from tape t.log -o t5.nvt; check import_no_format 2 "--from: found 'tape', expected mmiotrace, rwmmio, kmd"
printf 'nothing of note\n' >empty.log
# waves that were cut, by any number of bytes: fst2vcd would run for ever on some
for cut in 1 5 300 900; do
    head -c "-$cut" "$ROOT/traces/captures/synth_small_rand_pdp_003/csb.fst" >cut.fst
    nv import --config small cut.fst -o cut.nvt; check "import_cut_fst_$cut" 2 "cut.fst: the file is truncated: it has" '!play it with'
done
cp "$ROOT/traces/captures/synth_small_rand_pdp_003/csb.fst" bad.fst && printf '\377\0\377U' | dd of=bad.fst bs=1 seek=400 conv=notrunc status=none
nv import --config small bad.fst -o bad.nvt; check import_damaged_fst 2 "bad.fst: the file is damaged: fst2vcd ended with status"
: >nothing.log
nv import nothing.log -o t5.nvt; check import_empty 2 "nothing.log: is empty"
echo "nothing of interest" >other.log
nv import other.log -o t5.nvt; check import_unknown 2 "other.log: no format of captures is recognised in it; name it with --from: mmiotrace, " "pattern, cfg or nvt"
printf '\377\376a\0' >wide.log
nv import wide.log -o t5.nvt; check import_utf16 2 "wide.log: is UTF-16 text; convert it with: iconv"
nv import --from kmd empty.log -o t5.nvt; check import_no_access 2 "empty.log: found no access to the registers of NVDLA (read as kmd; 0 accesses of other devices)"
printf 'Info: nvdla.csb_adaptor: GP: iswrite=1 addr=0x9004 len=4 data=0x 00000000 resp=TLM_OK_RESPONSE\nInfo: nvdla.dbb_adaptor: GP: iswrite=1 addr=0xffffffffffffffff len=4 data=0x 00000000 resp=TLM_OK_RESPONSE\n' >end.log
nv import end.log -o t5.nvt; check import_end_of_memory 2 "end.log:2: found 4 bytes of memory at 0xffffffffffffffff, expected them to end below 2^64"
mkdir -p alone/bin && cp "$NVCOSIM" alone/bin # without python/
NVCOSIM=$PWD/alone/bin/nvcosim nv import t.log -o t5.nvt; check import_without_python 2 "No module named 'nvcosim'"
nv import missing.log; check import_missing 2 "missing.log: cannot open"
nv import; check import_nothing 2 "no capture is given"
head -20 t.log >t.1; tail -n +21 t.log >t.2
nv import t.1 t.2 -o tt.nvt --accesses tt.acc; check import_rotated 0 "31 writes and 8 reads"
that import_rotated_accesses cmp tt.acc t.acc
nv import t.1 missing.log -o tt.nvt; check import_rotated_missing 2 "missing.log: cannot open"
nv import --from nvt plain.nvt plain.nvt; check import_two 2 "found 'plain.nvt', expected one trace"
printf 'write_reg 0xffff0401 0x0\nwrite_mem 0x12340000 0x00ff 0x00112233445566778899aabbccddeeff\nread_mem 0x12340000 0x0000000000000000ffffffffffffffff 0x00000000000000008899aabbccddeeff\nload_mem 0x40 2 two.dat\n' >quad.txn; echo ' 0x01 0x02' >two.dat
nv import --dialect player quad.txn -o quad.nvt; check import_txn_memory 0 "10 bytes known at first" "8 to be checked"
that import_txn_anywhere sh -c 'grep -q "^mem_load primary 0x12340000" quad.nvt && grep -q "^mem_check primary 0x12340000" quad.nvt && grep -q "^mem_load primary 0x00000040" quad.nvt && grep -qx "  ffeeddccbbaa9988" quad.nvt'
sed 's/0x00ff 0x/0x1ffff 0x/' quad.txn >bad.txn; nv import --dialect player bad.txn -o bad.nvt; check import_txn_mask 2 "bad.txn:2: expected write_mem ADDRESS BYTEMASK DATA"
form csv 0x43c80000 >t.csv
nv import t.csv -o c.nvt; check import_csv_base 2 "none of its 39 accesses is in the register window" "--base"
nv import --base 0x43c80000 t.csv -o c.nvt; check import_csv 0 "csv, 31 writes and 8 reads" "guessed: t.csv:1: columns type:2,address:3,data:4"
nv import --base 0x43c80000 --columns time:1,type:2,address:3 t.csv -o c.nvt; check import_csv_columns 2 "expected columns for type, address and data"
nv import --base 0x43c80000 --columns time:1,kind:2 t.csv -o c.nvt; check import_csv_column 2 "--columns: found 'kind:2'"
nv import --base 0x43c80000 --separator ab t.csv -o c.nvt; check import_csv_separator 2 "--separator: found 'ab', expected one character, or tab"
form own >own.log
printf '# shapes\nwrite addr=1*4 value=2 nv_write word ([0-9a-f]+) is ([0-9a-f]+)\nread addr=1*4 value=2 nv_read word ([0-9a-f]+) is ([0-9a-f]+)\n' >shapes
nv import --pattern shapes own.log -o o.nvt --accesses o.acc; check import_pattern 0 "pattern, 31 writes and 8 reads"
that import_pattern_accesses cmp o.acc t.acc
printf 'write addr=1 nv_write ([0-9a-f]+)\n' >bad1; printf 'write addr=1 value=2 nv_write ([0-9a-f]+\n' >bad2; printf 'poke addr=1 value=2 x\n' >bad3
nv import --pattern bad1 own.log -o o.nvt; check import_pattern_value 2 "--pattern: bad1:1: expected write addr=N value=N REGEX"
nv import --pattern bad2 own.log -o o.nvt; check import_pattern_regex 2 "--pattern: bad2:1: the regular expression cannot be used"
nv import --pattern bad3 own.log -o o.nvt; check import_pattern_kind 2 "--pattern: bad3:1: found \"poke\"; expected write, read, read-address, read-value or hole"
nv import --from pattern own.log -o o.nvt; check import_pattern_none 2 "--from pattern needs --pattern FILE"
# Sampled signals; whole captures: tests/import/generate.py.
printf '%s\n' psel,penable,pwrite,paddr,pwdata,prdata 1,1,1,1004,3ffffe,0 1,1,0,1000,0,303031 1,0,0,1000,0,0 >apb.csv
nv import apb.csv -o s.nvt --accesses s.acc; check import_samples 0 "samples, 1 writes and 1 reads" "registers are accessed through APB, psel and others"
that import_samples_accesses test "$(tr '\n' '|' <s.acc)" = "W 0x01004 0x003ffffe|R 0x01000 0x00303031|"
sed 's/,303031/,30q031/' apb.csv >wrong.csv; nv import wrong.csv -o s.nvt; check import_samples_number 2 "wrong.csv:3: prdata: found \"30q031\", expected a number in radix 16"
sed '1s/psel/a_psel/; 1s/$/,b_psel/; 2,$s/$/,0/' apb.csv >wrong.csv; nv import wrong.csv -o s.nvt; check import_samples_two 2 "two columns may be a_psel: b_psel is the second; choose with --signal PORT=COLUMN"
sed '1s/penable/enable/' apb.csv >wrong.csv; nv import wrong.csv -o s.nvt; check import_samples_missing 2 "found no signal penable" "--signal PORT=NAME"
nv import wrong.csv -o s.nvt --signal penable=enable; check import_samples_named 0 "1 writes and 1 reads"
nv import apb.csv -o s.nvt --radix 7; check import_samples_radix 2 "--radix: found '7', expected 2, 10 or 16"
sed '2s/1004/43c01004/' apb.csv >wrong.csv; nv import wrong.csv -o s.nvt; check import_samples_base 2 "address 0x43c01004 is not the byte offset of a register; give the base"
form rwmmio 0xffff800011a00000 >rw.log
nv import rw.log -o r.nvt; check import_rwmmio_base 2 "rw.log:1: address 0xffff800011a01000 is not the byte offset of a register; give the base of the registers with --base"
nv import --base 0xffff800011a00000 rw.log -o r.nvt --accesses r.acc; check import_rwmmio 0 "rwmmio, 31 writes and 8 reads"
that import_rwmmio_accesses cmp r.acc t.acc
# as trace-cmd prints zeros; halves of 64 bits; writes in their post event alone; what is no access of 32 or 64 bits, or has no end, is reported
rw() { nv import --base 0xffff800011a00000 rw.log -o r.nvt --accesses r.acc; }
form rwmmio 0xffff800011a00000 | sed 's/val=0x0 /val=0 /' >rw.log; rw; check import_rwmmio_zero 0 "31 writes and 8 reads"; that import_rwmmio_zero_accesses cmp r.acc t.acc
sed -i 's/rwmmio_write/rwmmio_post_write/' rw.log; rw; check import_rwmmio_post 0 "31 writes and 8 reads"; that import_rwmmio_post_accesses cmp r.acc t.acc
printf '%s\n' "x: rwmmio_write: f+0x1 width=64 val=0x500000004 addr=0xffff800011a03020" "x: rwmmio_post_write: f+0x1 width=64 val=0x500000004 addr=0xffff800011a03020" \
    "x: rwmmio_read: f+0x1 width=32 addr=0xffff800011a0100c" >rw.log
rw; check import_rwmmio_64 1 "2 writes and 0 reads" "dropped: rw.log:3: a read of 0x0100c without its answer"
that import_rwmmio_halves test "$(tr '\n' '|' <r.acc)" = "W 0x03020 0x00000004|W 0x03024 0x00000005|"
echo "x: rwmmio_write: f+0x1 width=8 val=0x4 addr=0xffff800011a03020" >rw.log; rw; check import_rwmmio_8 2 "rw.log:1: an access of 8 bits to the registers, expected 32"
echo "x: rwmmio_write: f+0x1 width=32 val=many addr=0xffff800011a03020" >rw.log; rw; check import_rwmmio_value 2 "rw.log:1: a line of rwmmio without a value of 32 bits"
echo "x: rwmmio_write: f+0x1 width=32 val=0x1 at=0xffff800011a03020" >rw.log; rw; check import_rwmmio_address 2 "rw.log:1: a line of rwmmio without an address"
echo "CPU:1 [7 EVENTS DROPPED]" >>rw.log; sed -i 1d rw.log; nv import --from rwmmio rw.log -o r.nvt; check import_rwmmio_lost 2 "7 EVENTS DROPPED]: accesses are missing"
nv import --from nvt plain.nvt -o n.nvt; check import_nvt 0
that import_nvt_same cmp plain.nvt n.nvt
nv import --from cfg good/good.cfg -o n.nvt; check import_cfg 0
nv import --from cfg --mem 0=zero.bin good/good.cfg -o n.nvt; check import_program_options 2 "--map, --mem, --golden and --accesses are for captures"
nv import plain.nvt -o n.nvt; check import_nvt_by_name 0
that import_nvt_by_name_same cmp plain.nvt n.nvt
gzip -c good/good.cfg >packed.cfg.gz
nv import packed.cfg.gz -o n.nvt; check import_cfg_gz_by_name 2 "packed.cfg.gz:"
# captures that stop early
capture=$ROOT/traces/captures/synth_small_rand_pdp_003
head -n 32 "$capture/dmesg.log" >half.log
nv import half.log -o half.nvt; check import_no_launch 0 "warning: the capture enables no unit" "0 launches"
head -n 60 "$capture/vp.log" >half.log
nv import half.log -o half.nvt; check import_no_wait 0 "warning: after the last 2 launches the capture neither waits nor polls"
nv import "$capture/vp.log" -o whole.txt; check import_out 0 "warning: whole.txt: rename it to NAME.nvt or NAME.nvt.gz" "!play it with"
nv import "$capture/vp.log" -o whole.nvt; check import_waits 0 "!warning:"
nv import "$capture/csb.vcd" -o whole.nvt; check import_place_in_time 0 "  time " "!  line "
# names of files are shown, not obeyed
odd=$'odd\033[31m;touch x.log' && cp "$capture/dmesg.log" "$odd"
nv import "$odd" -o $'odd\033[31m.nvt'; check import_odd_names 0 'odd\x1b[31m;touch x.log: kmd' "!"$'\033'
finish
