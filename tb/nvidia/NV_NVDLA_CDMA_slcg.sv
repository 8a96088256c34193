// Clock gates of CDMA in NVIDIA's RTL: nvcosim build reads this file before theirs. They work as NVIDIA's do, but for
// u_slcg_wt, which never closes: behind it, kernels that CSC releases while no layer of CDMA is enabled are not
// counted, and after some layers the weight path stands still (30-cdma-cbuf, known differences).
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
  bit of_weights;
  string path;
  initial begin
    path = $sformatf("%m");
    of_weights = path.substr(path.len() - 3, path.len() - 1) == "_wt";
  end
  NV_CLK_gate_power nvdla_core_clk_slcg_0 (
      .clk      (nvdla_core_clk),
      .reset_   (nvdla_core_rstn),
      .clk_en   ((slcg_en_src_0 & slcg_en_src_1 & slcg_en_src_2) | of_weights | dla_clk_ovr_on_sync |
                 global_clk_ovr_on_sync | tmc2slcg_disable_clock_gating),
      .clk_gated(nvdla_core_gated_clk)
  );
endmodule
