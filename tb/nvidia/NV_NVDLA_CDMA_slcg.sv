// Clock gates of CDMA in NVIDIA's RTL: nvcosim build reads this file before theirs. CDMA's clocks never stop here:
// behind NVIDIA's gates, kernels that CSC releases while no layer of CDMA is enabled are not counted, and after some
// layers its weight path stands still (30-cdma-cbuf, known differences).
module NV_NVDLA_CDMA_slcg (
    input  logic dla_clk_ovr_on_sync,
    input  logic global_clk_ovr_on_sync,
    input  logic nvdla_core_clk,
    input  logic nvdla_core_rstn,
    input  logic slcg_en_src_0,
    input  logic slcg_en_src_1,
    input  logic slcg_en_src_2,
    input  logic tmc2slcg_disable_clock_gating,
    output logic nvdla_core_gated_clk
);
  assign nvdla_core_gated_clk = nvdla_core_clk;
  wire unused = &{1'b0, dla_clk_ovr_on_sync, global_clk_ovr_on_sync, nvdla_core_rstn, slcg_en_src_0, slcg_en_src_1,
                  slcg_en_src_2, tmc2slcg_disable_clock_gating};
endmodule
