"""ONNX files as graphs of INT8: QDQ (operators of float32 between DequantizeLinear and
QuantizeLinear) and QOperator (QLinearConv and its like) in one form, constants computed, channels
last, uint8 as int8, less 128. An operator, a version, an option or a constant that is not supported
is refused by its name. Specification: 88-quantised-networks, section 1."""
