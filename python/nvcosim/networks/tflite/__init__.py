"""TFLite files of INT8 as graphs: FlatBuffers, every offset and count checked. An operator, a
version, an option or a tensor that is not supported is refused by its name. Specification:
88-quantised-networks, section 1."""
