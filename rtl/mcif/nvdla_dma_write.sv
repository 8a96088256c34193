// DMA write client: commands and data of an engine to burst pieces of the memory interface, acknowledges back.
//
// A command is cmd_size_i + 1 contiguous atoms to byte address cmd_addr_i of memory cmd_ram_i (1 primary, 0 secondary);
// its data follow in order on dat_*, before, with or after it. A piece is offered only when all its beats are buffered
// and not promised to an earlier piece; its beats then leave in order. ack_o shows cmd_ack_i of each command for one
// clock, in order, in the clock after the response (mif_i.done) of its last piece. Responses of one memory are awaited
// before the other memory is written.
// busy_o: in this clock something is accepted, packed, offered, leaves or is acknowledged; else no register changes but
// ack_o, which falls. DatAtoms is 1, or MifAtoms: then dat_data_i holds a command's atoms 2k and 2k + 1 together
// whatever its address; the last of an odd number comes alone, in the lower half.
// Accepted command with its data: offered at mif_o in the next clock (beats of several atoms: two later); DatAtoms
// atoms per clock.
// Spec: 70-memory-interface, sections 2, 4 and 5.
`include "nvdla_check.svh"
module nvdla_dma_write
  import nvdla_pkg::*;
#(
    parameter int DatAtoms = 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         cmd_valid_i,
    output logic                         cmd_ready_o,
    input  logic [         AddrBits-1:0] cmd_addr_i,
    input  logic [                 15:0] cmd_size_i,
    input  logic                         cmd_ram_i,
    input  logic [                  1:0] cmd_ack_i,
    input  logic                         dat_valid_i,
    output logic                         dat_ready_o,
    input  logic [DatAtoms*AtomBits-1:0] dat_data_i,
    output logic [                  1:0] ack_o,
    output logic                         busy_o,
    output mif_wr_req_t                  mif_o,
    input  mif_wr_rsp_t                  mif_i
);
  // Two of the longest pieces, and enough to pass one beat per clock.
  localparam int LongestPiece = (CvsramPieceBeats > DbbPieceBeats) ? CvsramPieceBeats : DbbPieceBeats;
  localparam int Depth = (2 * LongestPiece > 4) ? 2 * LongestPiece : 4;
  localparam int CountBits = $clog2(Depth + 1);
  localparam int BurstsInFlight = 256;  // limit of the memory interface

  logic piece_valid, piece_last, offer, ram, issue, ram_ok;
  logic [3:0] len;  // beats of the piece - 1
  logic track_ready, track_valid;
  logic [1:0] piece_tag, track_ack, ack_q;
  logic [CountBits-1:0] avail_q;  // buffered beats not promised to a piece
  logic [CountBits-1:0] issued;
  logic last_ram_q, stored, response;
  logic cmd_ready, pack_ready, pieces_valid, pieces_ready, beat_valid, beat_ready, packs;
  logic [MifAtoms-1:0] beat_mask, out_mask;
  logic [1:0] dat_atoms;  // of what is given, for rtl/waits.csv
  wire unused_atoms = &{1'b0, dat_atoms};
  logic [MifBits-1:0] beat;

  localparam int MaskBits = (MifAtoms > 1) ? MifAtoms : 0;  // kept with a beat
  localparam int CommandBits = AddrBits + 19;
  logic [MaskBits+MifBits-1:0] buffered;
  logic [CommandBits-1:0] command;

  assign cmd_ready_o = cmd_ready & pack_ready;
  if (MifAtoms == 1) begin : gen_atoms
    assign cmd_ready = pieces_ready;
    assign pieces_valid = cmd_valid_i;
    assign command = {cmd_addr_i, cmd_size_i, cmd_ram_i, cmd_ack_i};
    assign pack_ready = 1'b1;
    assign beat_valid = dat_valid_i;
    if (AtomBits > MifBits) begin : gen_parts
      // An atom leaves in parts, the lowest first.
      logic [$clog2(AtomBits/MifBits)-1:0] part_q;
      assign packs = stored;
      assign dat_ready_o = beat_ready & (&part_q);
      assign beat = dat_data_i[32'(part_q)*MifBits+:MifBits];
      always_ff @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) part_q <= '0;
        else if (stored) part_q <= part_q + 1'b1;
    end else begin : gen_whole
      assign packs = 1'b0;
      assign dat_ready_o = beat_ready;
      assign beat = dat_data_i;
    end
    assign beat_mask = 1'b1;
    assign dat_atoms = 2'd1;
    assign out_mask = 1'b1;
  end else begin : gen_beats
    // Commands wait for their beats to be packed here, so that one may be cut per clock.
    nvdla_fifo #(
        .Width(CommandBits),
        .Depth(4)
    ) u_commands (
        .clk_i,
        .rst_ni,
        .in_valid_i (cmd_valid_i & pack_ready),
        .in_ready_o (cmd_ready),
        .in_data_i  ({cmd_addr_i, cmd_size_i, cmd_ram_i, cmd_ack_i}),
        .out_valid_o(pieces_valid),
        .out_ready_i(pieces_ready),
        .out_data_o (command)
    );
    logic pack_busy;
    nvdla_dma_pack #(
        .DatAtoms(DatAtoms)
    ) u_pack (
        .clk_i,
        .rst_ni,
        .cmd_valid_i (cmd_valid_i & cmd_ready),
        .cmd_ready_o (pack_ready),
        .cmd_first_i (cmd_addr_i[$clog2(MemAtom)+:$clog2(MifAtoms)]),
        .cmd_size_i,
        .dat_valid_i,
        .dat_ready_o,
        .dat_data_i,
        .dat_atoms_o (dat_atoms),
        .beat_valid_o(beat_valid),
        .beat_ready_i(beat_ready),
        .beat_o      (beat),
        .beat_mask_o (beat_mask),
        .busy_o      (pack_busy)
    );
    assign packs = pieces_valid | pack_busy;
    assign out_mask = buffered[MifBits+:MifAtoms];
  end

  nvdla_dma_pieces #(
      .TagBits(2)
  ) u_pieces (
      .clk_i,
      .rst_ni,
      .req_valid_i  (pieces_valid),
      .req_ready_o  (pieces_ready),
      .req_addr_i   (command[CommandBits-1:19]),
      .req_size_i   (command[18:3]),
      .req_ram_i    (command[2]),
      .req_tag_i    (command[1:0]),
      .piece_valid_o(piece_valid),
      .piece_ready_i(issue),
      .piece_addr_o (mif_o.addr),
      .piece_len_o  (len),
      .piece_ram_o  (ram),
      .piece_tag_o  (piece_tag),
      .piece_last_o (piece_last)
  );

  nvdla_fifo #(
      .Width(MaskBits + MifBits),
      .Depth(Depth)
  ) u_data (
      .clk_i,
      .rst_ni,
      .in_valid_i (beat_valid),
      .in_ready_o (beat_ready),
      .in_data_i  ((MaskBits + MifBits)'({beat_mask, beat})),
      .out_valid_o(mif_o.dat_valid),
      .out_ready_i(mif_i.dat_ready),
      .out_data_o (buffered)
  );
  assign mif_o.dat_data = buffered[MifBits-1:0];
  assign mif_o.dat_mask = out_mask;

  // One entry per piece in flight: what ack_o shows for its response.
  nvdla_fifo #(
      .Width(2),
      .Depth(BurstsInFlight)
  ) u_track (
      .clk_i,
      .rst_ni,
      .in_valid_i (issue),
      .in_ready_o (track_ready),
      .in_data_i  (piece_last ? piece_tag : 2'b00),
      .out_valid_o(track_valid),
      .out_ready_i(mif_i.done),
      .out_data_o (track_ack)
  );

  assign ram_ok = (SecondaryMemory == 0) || !track_valid || (ram == last_ram_q);
  assign offer = piece_valid & ram_ok & track_ready & (32'(avail_q) > 32'(len));
  assign mif_o.valid = offer;
  assign mif_o.ram = ram;
  assign mif_o.len = len;
  assign issue = offer & mif_i.ready;
  assign issued = issue ? CountBits'(len) + 1'b1 : '0;
  assign stored = beat_valid & beat_ready;
  assign response = mif_i.done & track_valid;
  assign ack_o = ack_q;
  assign busy_o = packs | offer | (mif_o.dat_valid & mif_i.dat_ready) | mif_i.done | (cmd_valid_i & cmd_ready_o) |
      (dat_valid_i & dat_ready_o);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      avail_q    <= '0;
      last_ram_q <= 1'b0;
      ack_q      <= '0;
    end else begin
      avail_q <= avail_q + CountBits'(stored) - issued;
      if (issue) last_ram_q <= ram;
      ack_q <= response ? track_ack : 2'b00;
    end

  `NVDLA_STABLE(CommandStable, cmd_valid_i, cmd_ready_o, {cmd_addr_i, cmd_size_i, cmd_ram_i, cmd_ack_i})
  `NVDLA_STABLE(DataStable, dat_valid_i, dat_ready_o, dat_data_i)
  `NVDLA_STABLE(PieceStable, mif_o.valid, mif_i.ready, {mif_o.ram, mif_o.addr, mif_o.len})
  `NVDLA_CHECK(BusyWhileItWorks, busy_o || !((cmd_valid_i && cmd_ready_o) || (dat_valid_i && dat_ready_o) || stored ||
               (pieces_valid && pieces_ready) || mif_o.valid || (mif_o.dat_valid && mif_i.dat_ready) || mif_i.done))
  `NVDLA_STABLE(BeatStable, mif_o.dat_valid, mif_i.dat_ready, {mif_o.dat_mask, mif_o.dat_data})
  // Beats in the buffer; those of them that no piece has been promised; beats of accepted pieces that have not left;
  // pieces in flight.
  `NVDLA_BALANCE(Buffered, Depth, beat_valid && beat_ready, 1, mif_o.dat_valid && mif_i.dat_ready, 1)
  `NVDLA_BALANCE(Free, Depth, beat_valid && beat_ready, 1, mif_o.valid && mif_i.ready, 32'(mif_o.len) + 32'd1)
  `NVDLA_BALANCE(Promised, Depth, mif_o.valid && mif_i.ready, 32'(mif_o.len) + 32'd1,
                 mif_o.dat_valid && mif_i.dat_ready, 1)
  `NVDLA_BALANCE(Flight, BurstsInFlight, mif_o.valid && mif_i.ready, 1, mif_i.done, 1)
  `NVDLA_BALANCE(Acknowledges, 65536, cmd_valid_i && cmd_ready_o && cmd_ack_i != 2'b00, 1, ack_o != 2'b00, 1)
  `NVDLA_QUEUE(Marks, 2, BurstsInFlight, mif_o.valid && mif_i.ready, piece_last ? piece_tag : 2'b00, 1'b0, mif_i.done,
               2'b00)

`ifdef NVDLA_CHECKS
  logic asked_ram_q;
  logic [1:0] ack_due_q;
  int unmatched_q;  // words of commands less words of data
  always_ff @(posedge clk_i) if (mif_o.valid && mif_i.ready) asked_ram_q <= mif_o.ram;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      unmatched_q <= 0;
      ack_due_q   <= 2'b00;
    end else begin
      unmatched_q <= unmatched_q + ((cmd_valid_i && cmd_ready_o) ? (32'(cmd_size_i) + DatAtoms) / DatAtoms : 0) -
          32'(dat_valid_i && dat_ready_o);
      ack_due_q   <= mif_i.done ? Marks.mem_q[Marks.rd_q] : 2'b00;
    end
  `NVDLA_CHECK(DoneOnlyInFlight, !mif_i.done || Flight.level_q > 0)
  `NVDLA_CHECK(BeatsAddUp, 32'(avail_q) == Free.level_q)
  `NVDLA_CHECK(AcknowledgeWithTheLastResponse, ack_o == ack_due_q)
  `NVDLA_CHECK(OneMemoryAtATime, !(mif_o.valid && mif_i.ready) || Flight.level_q == 0 || mif_o.ram == asked_ram_q)
  `NVDLA_CHECK(DataMatchCommands, pieces_valid || piece_valid || Buffered.level_q != 0 || unmatched_q == 0)
`endif
endmodule
