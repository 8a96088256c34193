// The two kinds of claims. A run proves that HOLDS conditions always hold, or (REACH) that REACHED ones come true: then their opposite is
// asserted, and must fail.
`ifdef REACH
`define HOLDS(Cond)
`define REACHED(Cond) assert (!(Cond));
`else
`define HOLDS(Cond) assert (Cond);
`define REACHED(Cond)
`endif
