// Records passed between the modules of RUBIK. Spec: 66-rubik.
package nvdla_rubik_pkg;
  localparam logic [1:0] RubikContract = 2'd0, RubikSplit = 2'd1, RubikMerge = 2'd2;

  // A layer, constant while it runs. Numbers are less 1.
  typedef struct packed {
    logic        contract;
    logic        split;
    logic        merge;
    logic        wide;        // elements of two bytes
    logic        columnwise;  // contract: more than eight phases in x, written column by column
    logic [12:0] width;
    logic [12:0] height;
    logic [8:0]  surfaces;
    logic [8:0]  in_surfaces;
    logic [4:0]  last_rows;  // planes of the last surface
    logic [4:0]  x_stride;
    logic [4:0]  y_stride;
  } rubik_layer_t;

  // What goes through the buffer at a time: contract, up to eight columns of up to eight phases in x; split and merge,
  // up to 64 columns of a surface's planes. *_last: the last one of its loop.
  typedef struct packed {
    logic [5:0] columns;      // less 1
    logic [4:0] rows;         // phases or planes, less 1
    logic       phase_last;   // of the columns' phases in x
    logic       group_first;  // of a line's columns
    logic       group_last;
    logic       v_last;  // of the phases in y
    logic       y_last;
    logic       z_last;
  } rubik_block_t;
endpackage
