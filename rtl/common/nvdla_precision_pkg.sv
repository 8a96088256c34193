// Codes of the precision registers.
//
// Spec: 10-system, section 1.1.
package nvdla_precision_pkg;
  import nvdla_pkg::*;

  localparam logic [1:0] PrecisionInt8 = 2'd0;
  localparam logic [1:0] PrecisionInt16 = 2'd1;
  localparam logic [1:0] PrecisionFp16 = 2'd2;

  // The type by which a code works: INT8 if the configuration lacks the code's.
  function automatic logic [1:0] built_precision(input logic [1:0] code);
    if (Int16 != 0 && Fp16 != 0) return code;
    return {Fp16 != 0 && code == PrecisionFp16, Int16 != 0 && code == PrecisionInt16};
  endfunction
endpackage
