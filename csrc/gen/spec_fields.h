/* The members of struct gen_layer, in the order in which shrinking tries them: name, when it matters (enum gen_part),
 * plain value, lowest, highest, how it shrinks (enum gen_field_kind). Included with F for a member, S for one of the
 * stage EW, EW_CVT for those of its convertors and STAGE for those of another stage; all are undefined then.
 *
 * Members have the values of registers, unless stated otherwise. Of line, surface, batch and uv_line: the atoms by
 * which a stride exceeds the necessary one. */
#define GEN_BITS38 ((INT64_C(1) << 37) - 1)
#define GEN_SEED INT64_MAX

F(conv, LAYER, 0, 0, 3, FIXED) /* the chain: 1 feature cube, 2 image, 3 Winograd */
F(sdp, LAYER, 0, 0, 1, FIXED)
F(pdp, LAYER, 0, 0, 1, FIXED)
F(cdp, LAYER, 0, 0, 1, FIXED)
F(source, LAYER, 0, 0, GEN_LAYERS, FIXED) /* 1 + layer whose output is read, 0: separate memory */
F(bdma, LAYER, 0, 0, 1, FIXED)
F(rubik, LAYER, 0, 0, 3, FIXED)             /* 1 contract, 2 split, 3 merge */
F(input_of, LAYER, 0, 0, GEN_LAYERS, FIXED) /* 1 + layer whose input memory is also read, 0: none */
F(into, LAYER, 0, 0, GEN_LAYERS, FIXED) /* 1 + layer into whose output region this one writes, 0: a separate region */
F(at, LAYER, 0, 0, 8192, FIXED)         /* the surface of that region */
F(room, LAYER, 0, 0, 8192, SETTING)     /* surfaces of the output region, 0: as many as written */
/* the deconvolution's kernel, of which the layer's is set (set_x, set_y); 0: none */
F(full_s, CONV, 0, 0, 256, SETTING)
F(full_r, CONV, 0, 0, 256, SETTING)
F(set_x, SET, 0, 0, 31, FIXED)
F(set_y, SET, 0, 0, 31, FIXED)
F(deconv_x, DECONV, 1, 1, 32, AMOUNT) /* strides, for RUBIK contract and for its convolutions */
F(deconv_y, DECONV, 1, 1, 32, AMOUNT)
F(join, BDMA, 0, 0, 1, SETTING)      /* 1: in one group with the previous layer */
F(parts, BDMA, 1, 1, 20, AMOUNT)     /* descriptors that the copy is cut into */
F(replicate, BDMA, 0, 0, 3, SETTING) /* source strides: 1 lines repeated, 2 lines an atom apart, 3 surfaces repeated */
F(lut, TABLE, 0, 0, 1, FIXED)        /* 1: first loads the tables and the S_LUT registers; 0: uses the current ones */
F(splits, PDP, 1, 1, 64, SETTING)    /* strips */
F(precision, LAYER, NVDLA_INT8, NVDLA_INT8, NVDLA_FP16, SETTING) /* of processing, enum nvdla_precision */
F(kernel_w, PDP, 1, 1, 8, AMOUNT)
F(kernel_h, PDP, 1, 1, 8, AMOUNT)
F(step_x, PDP, 1, 1, 16, AMOUNT)
F(step_y, PDP, 1, 1, 16, AMOUNT)
F(pool_left, PDP, 0, 0, 7, AMOUNT)
F(pool_right, PDP, 0, 0, 7, AMOUNT)
F(pool_top, PDP, 0, 0, 7, AMOUNT)
F(pool_bottom, PDP, 0, 0, 7, AMOUNT)
F(reuse_data, CONV, 0, 0, 1, SETTING)
F(reuse_weights, CONV, 0, 0, 1, SETTING)
F(skip_data, CONV, 0, 0, 1, SETTING)
F(skip_weights, CONV, 0, 0, 1, SETTING)
/* slices that stay in CBUF after the layer: H - RLS_SLICES; Winograd: of the extended cube */
F(keep, CONV, 0, 0, 8191, SETTING)
F(batches, CONV, 1, 1, 32, AMOUNT) /* cubes */
F(compressed, CONV, 0, 0, 1, SETTING)
F(empty_groups, COMPRESSED, 0, 0, 64, SETTING) /* every n-th kernel group has none; 0: no such group */
F(dense_groups, COMPRESSED, 0, 0, 64, SETTING) /* every n-th kernel group has all; 0: no such group */
F(density, COMPRESSED, 16, 0, 16, SETTING)     /* sixteenths of the elements that are present */
F(post, IMAGE, 1, 1, 4, SETTING)               /* 1, 2, 4 */
F(dilation_x, CONV, 1, 1, 32, AMOUNT)
F(dilation_y, CONV, 1, 1, 32, AMOUNT)
F(stride_x, CONV, 1, 1, 8, AMOUNT)
F(stride_y, CONV, 1, 1, 8, AMOUNT)
F(pad_left, CONV, 0, 0, 31, AMOUNT) /* pads: 0 .. , right and bottom only give the output size */
F(pad_right, CONV, 0, 0, 63, AMOUNT)
F(pad_top, CONV, 0, 0, 31, AMOUNT)
F(pad_bottom, CONV, 0, 0, 63, AMOUNT)
F(r, CONV, 1, 1, 32, AMOUNT)    /* lines of a kernel */
F(s, CONV, 1, 1, 32, AMOUNT)    /* columns of a kernel */
F(k, CONV, 1, 1, 8192, AMOUNT)  /* kernels */
F(h, LAYER, 1, 1, 8192, AMOUNT) /* input; with partial reuse all lines */
F(w, LAYER, 1, 1, 8192, AMOUNT) /* input; BDMA: w atoms a line, h lines, c surfaces */
F(c, LAYER, 1, 1, 8192, AMOUNT) /* input; image: number of components of the format */
STAGE(bs, BS)
STAGE(bn, BN)
S(ew.source, EW_MEMORY, 0, 0, GEN_LAYERS, FIXED)
S(ew.on, SDP, 0, 0, 1, SETTING)
S(ew.lut, EW, 0, 0, 1, SETTING)
S(ew.alu, EW, 0, 0, 1, SETTING)
S(ew.mul, EW, 0, 0, 1, SETTING)
S(ew.prelu, EW_MUL, 0, 0, 1, SETTING)
S(ew.algorithm, EW_ALU, 2, 0, 3, SETTING)
S(ew.alu_memory, EW_ALU, 0, 0, 1, SETTING)
S(ew.mul_memory, EW_MUL, 0, 0, 1, SETTING)
EW_CVT(ew.alu, EW_ALU)
EW_CVT(ew.mul, EW_MUL)
S(ew.element, EW_MEMORY, 0, 0, 1, SETTING)
S(ew.two_bytes, EW_MEMORY, 0, 0, 1, SETTING)
S(ew.alu_operand, EW_ALU_REGISTER, 0, INT32_MIN, INT32_MAX, SETTING)
S(ew.mul_operand, EW_MUL_REGISTER, 1, INT32_MIN, INT32_MAX, SETTING)
S(ew.mul_shift, EW_MUL, 0, 0, 1023, AMOUNT)
S(ew.line, EW_MEMORY, 0, 0, 1 << 16, SETTING)
S(ew.surface, EW_MEMORY, 0, 0, 1 << 16, SETTING)
S(ew.space, EW_MEMORY, 0, 0, 1, SETTING)
S(ew.data, EW_MEMORY, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT)
F(noise, LAYER, 0, 0, GEN_SEED, SETTING) /* seed of registers that do not matter, 0: zeros */
F(order, LAYER, 0, 0, GEN_SEED, SETTING) /* seed of the order of register writes, 0: ascending */
F(arm, LAYER, 0, 0, GEN_SEED, SETTING)   /* seed of the order of D_OP_ENABLE writes, 0: consumer first */
F(perf, LAYER, 0, 0, 15, SETTING)        /* enabled counters: bits of SDP.D_PERF_ENABLE; other units use the low ones */
/* 1: the layer's counters are read after it, before its units are programmed again */
F(status, LAYER, 0, 0, 1, SETTING)
F(nan_to_zero, LAYER, 0, 0, 1, SETTING)
F(in_place, LAYER, 0, 0, 1, SETTING) /* SDP and CDP from separate memory: output over input */
F(in_order, INPUT, 0, 0, 1, SETTING) /* 1: lines outside, surfaces inside */
F(in_line, INPUT, 0, 0, 1 << 16, SETTING)
F(in_surface, INPUT, 0, 0, 1 << 16, SETTING)
F(in_space, INPUT, 0, 0, 1, SETTING)
F(out_order, OUTPUT, 0, 0, 1, SETTING)
F(out_line, OUTPUT, 0, 0, 1 << 16, SETTING)
F(out_surface, OUTPUT, 0, 0, 1 << 16, SETTING)
F(out_space, OUTPUT, 0, 0, 1, SETTING)
F(uv_line, IMAGE, 0, 0, 1 << 16, SETTING)   /* slack of the second plane's lines */
F(in_batch, BATCH, 0, 0, 1 << 16, SETTING)  /* slack of the batch strides */
F(out_batch, BATCH, 0, 0, 1 << 16, SETTING) /* likewise */
F(weight_space, CONV, 0, 0, 1, SETTING)
F(eps_extra, CONV, 0, 0, 64, SETTING)    /* extra entries per slice */
F(unpacked, CONV, 0, 0, 1, SETTING)      /* 1: the packed flags are 0 for any strides */
F(grain, CONV, 1, 1, 4096, SETTING)      /* lines */
F(weight_pad, CONV, 0, 0, 1, SETTING)    /* 1: WEIGHT_BYTES is rounded up to 128, otherwise to an entry */
F(data_banks, CONV, 0, 0, 64, SETTING)   /* 0: half of the buffer */
F(weight_banks, CONV, 0, 0, 64, SETTING) /* likewise */
F(cvt, CONV, 0, 0, 1, SETTING)
F(mean, IMAGE, 0, 0, 1, SETTING)
F(x_offset, IMAGE, 0, 0, 31, SETTING)
F(sign, IMAGE, 1, 0, 1, SETTING)
F(format, IMAGE, 0, 0, 63, FIXED)
F(mean_0, MEAN, 0, INT16_MIN, INT16_MAX, SETTING)
F(mean_1, MEAN, 0, INT16_MIN, INT16_MAX, SETTING)
F(mean_2, MEAN, 0, INT16_MIN, INT16_MAX, SETTING)
F(mean_3, MEAN, 0, INT16_MIN, INT16_MAX, SETTING)
F(cvt_offset, CVT, 0, INT16_MIN, INT16_MAX, SETTING)
F(cvt_scale, CVT, 1, INT16_MIN, INT16_MAX, SETTING)
F(cvt_shift, CVT, 0, 0, 63, SETTING)
F(pad, CONV, 0, INT16_MIN, INT16_MAX, SETTING)
F(clip, CONV, 0, 0, 31, SETTING)                 /* CLIP_TRUNCATE */
F(pra, WINOGRAD, 0, 0, 3, SETTING)               /* PRA_TRUNCATE */
F(nans, CONV_FP16, 0, 0, 64, SETTING)            /* elements of the input that become NaN */
F(weight_nans, CONV_FP16, 0, 0, 64, SETTING)     /* elements of the weights that become NaN */
F(weight_exponent, CONV_FP16, 0, 0, 30, SETTING) /* amount by which exponents of weights are lowered */
F(offset, SDP, 0, INT32_MIN, INT32_MAX, SETTING) /* output convertor */
F(scale, SDP, 1, INT16_MIN, INT16_MAX, SETTING)
F(shift, SDP, 0, 0, 63, SETTING)
F(in_convert, SDP, 0, 0, 1, SETTING)              /* 1: reads INT16, PROC INT8 */
F(out_convert, SDP, 0, 0, 1, SETTING)             /* 1: PROC INT8 writes INT16, INT16 writes FP16, FP16 writes INT16 */
F(method, PDP, 1, 0, 2, SETTING)                  /* 0 average, 1 max, 2 min */
F(recip_w, AVERAGE, 0x10000, 0, 0x1ffff, SETTING) /* FP16: FP17 patterns, as the pads */
F(recip_h, AVERAGE, 0x10000, 0, 0x1ffff, SETTING)
F(pool_pad_1, AVERAGE, 0, -0x40000, 0x3ffff, SETTING) /* signed 19 bits */
F(pool_pad_2, AVERAGE, 0, -0x40000, 0x3ffff, SETTING)
F(pool_pad_3, AVERAGE, 0, -0x40000, 0x3ffff, SETTING)
F(pool_pad_4, AVERAGE, 0, -0x40000, 0x3ffff, SETTING)
F(pool_pad_5, AVERAGE, 0, -0x40000, 0x3ffff, SETTING)
F(pool_pad_6, AVERAGE, 0, -0x40000, 0x3ffff, SETTING)
F(pool_pad_7, AVERAGE, 0, -0x40000, 0x3ffff, SETTING)
F(first_out, SPLIT, 0, 0, 1024, FIXED) /* output columns of the first strip */
F(mid_out, SPLIT, 0, 0, 1024, FIXED)   /* of each middle strip */
F(sqsum_bypass, CDP, 0, 0, 1, SETTING)
F(mul_bypass, CDP, 0, 0, 1, SETTING)
F(length, CDP, 3, 3, 9, AMOUNT) /* 3, 5, 7, 9 */
F(in_offset, CDP, 0, INT16_MIN, INT16_MAX, SETTING)
F(in_scale, CDP, 1, INT16_MIN, INT16_MAX, SETTING)
F(in_shift, CDP, 0, 0, 31, SETTING)
F(out_offset, CDP, 0, INT32_MIN, INT32_MAX, SETTING)
F(out_scale, CDP, 1, INT16_MIN, INT16_MAX, SETTING)
F(out_shift, CDP, 0, 0, 63, SETTING)
F(le_linear, LUT, 0, 0, 1, SETTING)
F(under_lo, LUT, 0, 0, 1, SETTING)
F(over_lo, LUT, 0, 0, 1, SETTING)
F(hybrid_lo, LUT, 0, 0, 1, SETTING)
F(le_offset, LUT, 0, -128, 127, SETTING)
F(le_select, LUT, 0, -128, 127, SETTING)
F(lo_select, LUT, 0, -128, 127, SETTING)
F(le_under_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING)
F(le_over_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING)
F(le_under_shift, LUT, 0, -16, 15, SETTING)
F(le_over_shift, LUT, 0, -16, 15, SETTING)
F(lo_under_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING)
F(lo_over_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING)
F(lo_under_shift, LUT, 0, -16, 15, SETTING)
F(lo_over_shift, LUT, 0, -16, 15, SETTING)
F(le_start, LUT, 0, -GEN_BITS38 - 1, GEN_BITS38, SETTING) /* signed 38 bits, SDP 32 bits; FP16: FP32 patterns */
F(lo_start, LUT, 0, -GEN_BITS38 - 1, GEN_BITS38, SETTING)
F(le_end, LUT, 0, -GEN_BITS38 - 1, GEN_BITS38, SETTING)
F(lo_end, LUT, 0, -GEN_BITS38 - 1, GEN_BITS38, SETTING)
F(le_data, LUT, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT)
F(lo_data, LUT, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT)
F(weights, CONV, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT)
F(in_data, INPUT, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT)
F(out_fill, OUTPUT, 0, 0, 255, SETTING) /* byte in the previous output region */
F(seed, LAYER, 0, 0, GEN_SEED, FIXED)   /* of all memory content of the layer */
F(serial, LAYER, 1, 0, 1, SETTING)      /* 1: nothing is armed before the previous layer has ended */

#undef F
#undef S
#undef STAGE
#undef EW_CVT
#undef GEN_BITS38
#undef GEN_SEED
