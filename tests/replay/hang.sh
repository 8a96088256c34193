#!/bin/bash
# What counts as a hang on our RTL: that nothing moves. Slow memory, and layers that show nothing on the ports, pass. Real hangs end after
# the limit of --still, and the report names what was waited for and what moved last.
#
# usage: hang.sh BUILD
. "$(dirname "$0")/frame.sh"
fresh "$1" hang
play() { # ARGUMENTS: output in out, status in status
    out=$("$NVCOSIM" run --dut rtl --out "$dir" "$@" 2>&1)
    status=$?
}
says() { # TITLE TEXT
    that "$1" grep -qF -- "$2" <<<"$out"
}
small=traces/conformance/small

play "$small/rand_sdp_000.nvt.gz" --latency 150000
that "a memory slower than the limit is no hang (status $status)" test $status -eq 0
play "$small/rand_dc_000.nvt.gz" --still 250
that "a convolution that shows nothing on the ports for longer than the limit is no hang (status $status)" test $status -eq 0
play "$small/rand_dc_000.nvt.gz" --timeout 250
that "--timeout ends it all the same (status $status)" test $status -eq 3
says "and says so" "no operation got done for 250 clocks (limit of --timeout)"
out=$("$NVCOSIM" debug --no-waves --max-cycles 9000 --out "$dir" "$small/rand_dc_000.nvt.gz" 2>&1)
says "--max-cycles accuses no engine while things move" "  --max-cycles ended the run while things moved: raise it to see whether it hangs"

for without in x intr_notify; do
    zcat "$small/rand_dc_000.nvt.gz" | grep -vE "^(mem_crc|mem_check|check_event|read_check|poll .* end$|$without)" >"$dir/open_$without.nvt"
    "$NVCOSIM" run -q --out "$dir" "$dir/open_$without.nvt" >"$dir/open.out" 2>&1
    check "a trace whose last layer nothing waits for is not over before it is done (without $without)" $?
done

zcat "$small/rand_dc_000.nvt.gz" | grep -v 'reg_write CACC.D_OP_ENABLE' >"$dir/partner.nvt"
play "$dir/partner.nvt"
that "a convolution without CACC hangs (status $status)" test $status -eq 3
says "after 100000 clocks" "nothing moved for 100000 clocks (limit of --still)"
says "with what is armed" "armed and not finished: CSC group 0, CMAC_A group 0, CMAC_B group 0, SDP"
says "with the link at which it ended" "; never: CSC to CMAC (data), CSC to CMAC (weights), CMAC to CACC, CACC to SDP"

says "with the chain of waits in the first line" "(limit of --still): trace does not continue: SDP works with CACC, which is not armed"
jq -e '.devices[0].hang.triage | .engine == "trace" and .chain[0].unit == "SDP" and (.links[] | select(.name == "atoms") | .stuck and .moved == 0)' \
    "$dir/partner/report.json" >/dev/null
check "report.json has it" $?

zcat "$small/rand_sdp_000.nvt.gz" | sed '0,/^reg_write/s//reg_write MCIF.CFG_WR_WEIGHT_0 0x0\nreg_write/' >"$dir/weight.nvt"
play "$dir/weight.nvt"
that "a client of weight 0 hangs (status $status)" test $status -eq 3
says "with the weight" "blocked: MCIF.CFG_WR_WEIGHT_0 has WR_WEIGHT_SDP 0, so these requests are never answered"
says "which is where the chain ends" "trace does not continue: SDP writes as SDP, whose arbiter weight is 0"

# Engines that full alone has, whose beats hold two atoms.
for weight in CVIF.CFG_WR_WEIGHT_0:writes MCIF.CFG_RD_WEIGHT_0:reads; do
    zcat traces/conformance/full/rand_bdma_000.nvt.gz | sed "0,/^reg_write/s//reg_write ${weight%:*} 0x0\\nreg_write/" >"$dir/bdma.nvt"
    play "$dir/bdma.nvt" --still 3000
    [ $status -eq 3 ] && says "BDMA that is not answered: it ${weight#*:}" "trace does not continue: BDMA ${weight#*:} as BDMA, whose arbiter weight is 0"
done
zcat traces/conformance/full/rand_dc_000.nvt.gz | grep -v 'reg_write CACC.D_OP_ENABLE' >"$dir/partner.nvt"
play "$dir/partner.nvt" --still 3000
[ $status -eq 3 ] && says "links of full that stand still" "CSC to CMAC, atoms: 0 of 1296 (launch 0), never moved" && ! grep -q 'CBUF writes of' <<<"$out"
check "writes into CBUF, of one or two atoms a clock, are not told from outside" $?

finish
