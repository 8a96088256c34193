// Records passed between the modules of BDMA. Spec: 64-bdma.
package nvdla_bdma_pkg;
  // What a push captures. Sizes are registers: one less than what they count; addresses and strides without the five
  // bits that are 0.
  typedef struct packed {
    logic [58:0] src;
    logic [58:0] dst;
    logic [12:0] size;  // atoms of a line
    logic        src_ram;
    logic        dst_ram;
    logic [23:0] lines;
    logic [23:0] surfaces;
    logic [26:0] src_line;
    logic [26:0] dst_line;
    logic [26:0] src_surface;
    logic [26:0] dst_surface;
  } bdma_descriptor_t;
  localparam int BdmaDescriptorBits = 2 * 59 + 13 + 2 + 2 * 24 + 4 * 27;

  // Descriptors that wait behind the one that is carried out, or to be.
  localparam int BdmaQueue = 20;
endpackage
