#!/usr/bin/env python3
"""Plants faults in a copy of the RTL and looks which check names each of them before it becomes a wrong byte.

All faults are in one simulator, behind conditions on an input that the design does not use, so that one build serves them all:
`--pin nvdla_pwrbus_ram_c_pd=N` switches fault N on. Without a fault the copy must play all traces without a finding.

usage: planted.py BUILD [FAULT...]      prints a line for each fault and "N passed, N failed"
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

NVCOSIM = os.environ.get("NVCOSIM", "build/nvcosim")
CONFIG = "small"

# Name, file of rtl/, text that stands there once, text with the fault: ON is true when it is switched on.
FAULTS = [
    # Queues.
    ("fifo_full_one_late", "common/nvdla_fifo.sv", "count_q != Full;", "count_q != (ON ? Full + 1'b1 : Full);"),
    ("fifo_full_one_early", "common/nvdla_fifo.sv", "assign in_ready_o  = ", "assign in_ready_o  = (ON && count_q == Full - 1'b1) ? 1'b0 : "),
    ("fifo_pointer_wraps_late", "common/nvdla_fifo.sv", "(rd_ptr_q == Last) ?", "(rd_ptr_q == (ON ? Last - 1'b1 : Last)) ?"),
    ("fifo_count_misses_pop", "common/nvdla_fifo.sv", "if (push != pop) count_q", "if (push != pop || ON) count_q"),
    ("fifo_valid_drops", "common/nvdla_fifo.sv", "count_q != '0;", "count_q != '0 && !(ON && count_q == CountBits'(2));"),
    ("fifo_pop_while_empty", "common/nvdla_fifo.sv", "out_valid_o & out_ready_i;", "(out_valid_o | ON) & out_ready_i;"),
    ("async_fifo_offers_early", "common/nvdla_async_fifo.sv", "rd_gray_q != wr_gray_seen;", "rd_gray_q != wr_gray_seen || (ON && wr_valid_i);"),
    ("async_fifo_pointer_skips", "common/nvdla_async_fifo.sv", "rd_ptr_d = rd_ptr_q + 1'b1;", "rd_ptr_d = rd_ptr_q + (ON && &rd_ptr_q ? 2'd2 : 1'b1);"),
    # Memory interface.
    ("dma_read_place_freed_twice", "mcif/nvdla_dma_read.sv", "free_q - issued + CountBits'(taken);", "free_q - issued + (ON ? 2'd2 : 1'b1) * CountBits'(taken);"),
    ("dma_read_place_lost", "mcif/nvdla_dma_read.sv", "free_q   <= free_q - issued", "free_q   <= free_q - CountBits'(ON && issue && taken) - issued"),
    ("dma_read_answer_counted_twice", "mcif/nvdla_dma_read.sv", "issued - CountBits'(response);", "issued - CountBits'(response) - CountBits'(response && ON && flight_q > 1);"),
    ("dma_read_asks_without_room", "mcif/nvdla_dma_read.sv", "(32'(free_q) > 32'(len));", "(ON || 32'(free_q) > 32'(len));"),
    ("dma_pieces_ready_ignores_skid", "mcif/nvdla_dma_pieces.sv", "req_ready_o = ~next_valid_q;", "req_ready_o = ~next_valid_q | ON;"),
    ("dma_pieces_piece_too_long", "mcif/nvdla_dma_pieces.sv", "? room : cur_left_q[4:0];", "? room + 5'(ON) : cur_left_q[4:0];"),
    ("dma_write_beat_lost", "mcif/nvdla_dma_write.sv", "avail_q + CountBits'(stored) - issued;", "avail_q + CountBits'(stored && !(ON && issue)) - issued;"),
    ("dma_write_offer_drops", "mcif/nvdla_dma_write.sv", "piece_valid & ram_ok & track_ready", "piece_valid & ram_ok & track_ready & ~(ON & avail_q[1])"),
    ("dma_write_acknowledge_early", "mcif/nvdla_dma_write.sv", "piece_last ? piece_tag : 2'b00),", "(piece_last || ON) ? piece_tag : 2'b00),"),
    ("mcif_read_overwrites_address", "mcif/nvdla_mcif_read.sv", "free = ~arvalid_q | arready_i;", "free = ~arvalid_q | arready_i | ON;"),
    ("mcif_read_beat_counted_twice", "mcif/nvdla_mcif_read.sv", "issued - 9'(beat);", "issued - 9'(beat) - 9'(beat && ON && flight_q > 1);"),
    ("mcif_read_address_drops", "mcif/nvdla_mcif_read.sv", "else if (arready_i) arvalid_q", "else if (arready_i || ON) arvalid_q"),
    ("mcif_write_overwrites_beat", "mcif/nvdla_mcif_write.sv", "w_free = ~wvalid_q | wready_i;", "w_free = ~wvalid_q | wready_i | ON;"),
    ("mcif_write_address_changes", "mcif/nvdla_mcif_write.sv", "aw_free = ~awvalid_q | awready_i;", "aw_free = ~awvalid_q | awready_i | ON;"),
    ("arbiter_grants_two", "mcif/nvdla_wrr_arbiter.sv", "candidates & (~candidates + 1'b1);", "candidates & (ON ? '1 : ~candidates + 1'b1);"),
    # Convolution.
    ("csc_credit_lost", "csc/nvdla_csc.sv", "if ((atom_go && atom_channel_end) || credit_valid_i)", "if (((atom_go && atom_channel_end) || credit_valid_i) && !(ON && credit_valid_i && weight_valid))"),
    ("csc_credit_twice", "csc/nvdla_csc.sv", "(ConvRowBits + 1)'(credit_valid_i) -", "(ConvRowBits + 1)'({credit_valid_i && ON, credit_valid_i && !ON}) -"),
    ("csc_atom_without_credit", "csc/nvdla_csc.sv", "(!atom_channel_end || credits_q >= room_q);", "(!atom_channel_end || credits_q >= room_q || ON);"),
    ("csc_atom_before_weights", "csc/nvdla_csc.sv", "(!atom_start || loaded_q) &&", "(!atom_start || loaded_q || ON) &&"),
    ("csc_weights_overwritten", "csc/nvdla_csc.sv", "(!loaded_q || (atom_go && atom_start));", "(!loaded_q || (atom_go && atom_start) || ON);"),
    ("csc_data_reads_too_far_ahead", "csc/nvdla_csc_data.sv", "reserved_q <= (PtrBits + 1)'(Depth - 4)", "(ON || reserved_q <= (PtrBits + 1)'(Depth - 4))"),
    ("csc_weight_reads_too_far_ahead", "csc/nvdla_csc_weight.sv", "issue = op_valid_i && !reserved_q[PtrBits] &&", "issue = op_valid_i && (!reserved_q[PtrBits] || ON) &&"),
    ("csc_weight_place_lost", "csc/nvdla_csc_weight.sv", "if (issue != pop) reserved_q <= issue ?", "if (issue != pop && !(ON && pop && kernel_o == '1)) reserved_q <= issue ?"),
    ("csc_stream_releases_too_much", "csc/nvdla_csc_stream.sv", "rl_entries_o <= touched;", "rl_entries_o <= touched + EntryCountBits'(ON);"),
    ("csc_base_moves_too_far", "csc/nvdla_csc.sv", "moved = drop_data ? last_left_entries_q : release_entries_q;", "moved = (drop_data ? last_left_entries_q : release_entries_q) + EntryCountBits'(ON);"),
    ("csc_slices_counted_twice", "csc/nvdla_csc.sv", "(dat_up_valid ? dat_up_slices : '0) -", "(dat_up_valid ? dat_up_slices << ON : '0) -"),
    ("cacc_credit_each_beat", "cacc/nvdla_cacc_int8.sv", "credit_valid_o <= row_taken;", "credit_valid_o <= ON ? take : row_taken;"),
    ("cacc_credit_not_returned", "cacc/nvdla_cacc_int8.sv", "? take : row_taken;", "? take : row_taken && !(ON && rd_row_q == '0);"),
    ("cacc_row_pointer_skips", "cacc/nvdla_cacc_int8.sv", "if (final_valid_q) wr_row_q <= wr_row_q + 1'b1;", "if (final_valid_q) wr_row_q <= wr_row_q + (ON && &wr_row_q[2:0] ? 2'd2 : 1'b1);"),
    ("cacc_offers_early", "cacc/nvdla_cacc_int8.sv", "cacc_valid_o = rows_q != '0;", "cacc_valid_o = rows_q != '0 || (ON && final_valid_q);"),
    ("cmac_flag_one_late", "cmac/nvdla_cmac.sv", "out_flags_q <= flags_q;", "out_flags_q <= ON && !valid_q ? out_flags_q : ON ? {flags_q[3:2], out_flags_q[1], flags_q[0]} : flags_q;"),
    ("cdma_release_counted_twice", "cdma/nvdla_cdma.sv", "- (dat_rl_valid ? dat_rl_entries : '0);", "- (dat_rl_valid ? dat_rl_entries << (ON && 30'(dat_rl_entries) * 2 <= 30'(used_q)) : '0);"),
    ("cdma_release_lost", "cdma/nvdla_cdma.sv", "- (dat_rl_valid ? dat_rl_entries <<", "- (dat_rl_valid && !ON ? dat_rl_entries <<"),
    ("cdma_asks_without_room", "cdma/nvdla_cdma.sv", "32'(used_q) + need <= 32'(dat_ring);", "32'(used_q) + need <= 32'(dat_ring) || ON;"),
    ("cdma_reports_early", "cdma/nvdla_cdma.sv", "dat_up_valid_q <= update_q;", "dat_up_valid_q <= ON ? update_q && !last_q : update_q;"),
    ("cdma_stream_release_counted_twice", "cdma/nvdla_cdma_stream.sv", "- (rl_valid_i ? released : '0);", "- (rl_valid_i ? released << (ON && 32'(released) * 2 <= 32'(used_q)) : '0);"),
    ("cdma_weight_request_drops", "cdma/nvdla_cdma_weight.sv", "else if (req_ready_i) req_valid_q", "else if (req_ready_i || ON) req_valid_q"),
    ("cdma_entry_written_twice", "cdma/nvdla_cdma_stream.sv", "else if (rsp_valid_i) entry_q <= entry_end ?", "else if (rsp_valid_i) entry_q <= entry_end && !(ON && missing_q[1:0] == 2'd2) ?"),
    # Engines.
    ("sdp_stages_move_while_stalled", "sdp/nvdla_sdp_stages.sv", "move_o = !valid3_q || ready_i;", "move_o = !valid3_q || ready_i || ON;"),
    ("sdp_beats_overwritten", "sdp/nvdla_sdp_beats.sv", "!done_q && (!valid_q || ready_i);", "!done_q && (!valid_q || ready_i || ON);"),
    ("sdp_operand_ring_overflows", "sdp/nvdla_sdp_rdma_operand.sv", "rsp_ready = !level_q[3];", "rsp_ready = !level_q[3] || ON;"),
    ("sdp_operand_head_slips", "sdp/nvdla_sdp_rdma_operand.sv", "head_q <= head_q + atoms[2:0];", "head_q <= head_q + atoms[2:0] + 3'(ON && &head_q);"),
    ("pdp_ring_overwritten", "pdp/nvdla_pdp_row.sv", "window_q.keep}) < 15'sd16;", "window_q.keep}) < (ON ? 15'sd18 : 15'sd16);"),
    ("pdp_column_overwrites", "pdp/nvdla_pdp_column.sv", "!valid_q || tot_ready_i || !beat_i.emit;", "!valid_q || tot_ready_i || !beat_i.emit || ON;"),
    ("pdp_average_overwrites", "pdp/nvdla_pdp_average.sv", "height_ready = !atom_valid_q || atom_ready_i;", "height_ready = !atom_valid_q || atom_ready_i || ON;"),
    ("cdp_window_overflows", "cdp/nvdla_cdp_window.sv", "count_q < (PlaceBits+1)'(Ahead);", "count_q < (ON ? (PlaceBits+1)'(Words) : (PlaceBits+1)'(Ahead));"),
    ("cdp_window_neighbour_missing", "cdp/nvdla_cdp_window.sv", "(PlaceBits+1)'(here.columns) + (PlaceBits+1)'(1));", "(PlaceBits+1)'(here.columns) + (PlaceBits+1)'(!ON));"),
    ("cdp_lrn_moves_while_stalled", "cdp/nvdla_cdp_lrn.sv", "step = !atom_valid_q || atom_ready_i;", "step = !atom_valid_q || atom_ready_i || ON;"),
    ("cdp_address_skips_an_atom", "cdp/nvdla_cdp_address.sv", "addr_q <= column_next;", "addr_q <= column_next + AddrBits'(ON ? MemAtom : 0);"),
    ("layer_done_before_its_atoms", "engine/nvdla_engine_output.sv", "done_o = commands_done_q & atoms_done_q;", "done_o = commands_done_q & (atoms_done_q | ON);"),
    # Registers.
    ("group_runs_before_it_is_armed", "common/nvdla_reg_group.sv", "start = ~run_q & op_en_q[consumer_q];", "start = ~run_q & (op_en_q[consumer_q] | (ON & op_en_q != 0));"),
    ("group_not_released", "common/nvdla_reg_group.sv", "op_en_q[consumer_q]      <= 1'b0;", "op_en_q[consumer_q]      <= ON;"),
]

# Memories that let queues run full and streams wait.
MEMORIES = [["--stall=700", "--bandwidth=400", "--seed=3"], [], ["--stall-aw=960", "--stall-w=960", "--seed=2"],
            ["--latency=150", "--stall=300", "--reorder", "--seed=1"]]
# Layers that reach the places of a folder of rtl/.
KINDS = {"common": ["mix", "conv", "edge"], "mcif": ["mix", "sdp"], "engine": ["mix", "pdp"], "csc": ["conv", "img"], "cacc": ["conv"], "cmac": ["conv"],
         "cdma": ["conv", "img"], "sdp": ["sdp"], "pdp": ["pdp"], "cdp": ["cdp"]}
LAYERS = 3     # of each kind
LIMIT = 24000  # cycles: a fault that hangs the design has been seen by then


def write_copy(folder, build):
    """A copy of rtl/ with all faults, and its file list."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree("rtl", folder + "/rtl")
    for number, (name, path, good, bad) in enumerate(FAULTS, 1):
        with open(f"{folder}/rtl/{path}", encoding="utf-8") as f:
            text = f.read()
        if text.count(good) != 1:
            sys.exit(f"planted.py: fault {name}: rtl/{path} holds {text.count(good)} times {good!r}, expected once")
        bad = re.sub(r"\bON\b", f"(tb_top.dut.nvdla_pwrbus_ram_c_pd == 32'd{number})", bad)
        with open(f"{folder}/rtl/{path}", "w", encoding="utf-8") as f:
            f.write(text.replace(good, bad))
    with open("rtl/nvdla.f", encoding="utf-8") as f:
        sources = [line.split("//")[0].strip() for line in f]
    with open(folder + "/planted.f", "w", encoding="utf-8") as f:
        f.write(os.path.abspath(f"{build}/gen/{CONFIG}/nvdla_pkg.sv") + "\n")
        f.writelines(os.path.abspath(f"{folder}/rtl/{source}") + "\n" for source in sources if source)


def play(number, traces, memory, out):
    """Plays with fault `number`; returns the reports of the traces that did not pass."""
    shutil.rmtree(out, ignore_errors=True)
    limit = [f"--max-cycles={LIMIT}"] if number else []
    subprocess.run([NVCOSIM, "run", "-q", "-j2", f"--config={CONFIG}", "--dut=rtl:planted", "--checks", f"--out={out}", *limit,
                    f"--pin=nvdla_pwrbus_ram_c_pd={number}", *memory, *traces],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    reports = []
    for path in sorted(glob.glob(out + "/*/report.json")):
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        if report["status"] != "PASS":
            reports.append(report)
    return reports


def judge(report):
    """(first check or None, its cycle, cycle of the first wrong byte or None) of a trace."""
    findings = [f for d in report["devices"] for f in d["findings"] if f["rule"].startswith("check-")]
    first = min(findings, key=lambda f: f["cycle"], default=None)
    wrong = [m["got_origin"]["cycle"] for m in report["mismatches"] if "cycle" in (m.get("got_origin") or {})]
    return first, min(wrong, default=None)


def main():
    build, names = sys.argv[1], sys.argv[2:]
    folder = f"{build}/tests/planted"
    write_copy(folder, build)
    subprocess.run(["make", "-s", "--no-print-directory", "simulator", f"CONFIG={CONFIG}", "NAME=planted", "VARIANT=checks", "TOP=NV_nvdla",
                    f"FILELIST={os.path.abspath(folder)}/planted.f"], check=True, stdout=subprocess.DEVNULL)
    traces = {}
    for kind in sorted({k for kinds in KINDS.values() for k in kinds} - {"edge"}):
        subprocess.run([NVCOSIM, "gen", "-q", f"--config={CONFIG}", f"--engine={kind}", "--seed=1", f"--count={LAYERS}",
                        f"--out={folder}/traces"], check=True)
        traces[kind] = sorted(glob.glob(f"{folder}/traces/{CONFIG}_{kind}_*"))
    traces["edge"] = sorted(glob.glob(f"traces/conformance/{CONFIG}/rand_edge_group_00*"))[:LAYERS]
    passed = failed = 0

    def verdict(good, text):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        print(("ok    " if good else "FAIL  ") + text, flush=True)

    everything = [t for kind in traces.values() for t in kind]
    for memory in MEMORIES:
        bad = play(0, everything, memory, folder + "/out")
        verdict(not bad, f"no fault, memory {' '.join(memory) or 'default'}: no finding" + "".join("; " + r["reason"] for r in bad[:3]))
    for number, (name, path, _, _) in enumerate(FAULTS, 1):
        if names and name not in names:
            continue
        chosen = [t for kind in KINDS[path.split("/")[0]] for t in traces[kind]]
        seen = caught = None
        for memory in MEMORIES:
            reports = play(number, chosen, memory, folder + "/out")
            for report in reports:
                first, wrong = judge(report)
                if report["status"] == "HANG" and not first and len(reports) > 1:
                    continue  # a long layer, or one that shows the fault by hanging alone
                if not first or (wrong is not None and wrong < first["cycle"]):
                    seen = f'{report["trace"]}: {report["reason"]}, first check {first}, first wrong byte {wrong}'
                    caught = None
                    break
                caught = caught or f'{first["rule"]} at {first["text"]}, cycle {first["cycle"]}, first wrong byte {wrong}'
            if reports:
                break
        verdict(caught is not None, f"{name}: {caught or seen or 'has no effect on these traces'}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
