// Sizes of top.v.
`define WIDTH 8
