"""NVDLA's layouts of memory as numpy arrays (docs/nvdla/20-data-formats.md)."""
import typing

from nvcosim.registers import configuration

Array: typing.TypeAlias = typing.Any  # numpy.ndarray


def _strides(config: str, shape: typing.Sequence[int], size: int, line: int,
             surface: int) -> tuple[int, int, int, int]:
    """Elements of an atom, surfaces, line and surface stride of a cube of that element size."""
    atom = configuration(config)["mem_atom"]
    channels, height, width = shape
    elements = atom // size
    line = line or width * atom
    surface = surface or height * line
    if line < width * atom or surface < (height - 1) * line + width * atom:
        raise ValueError(f"strides: found line {line} and surface {surface}, expected at least "
                         f"{width * atom} and {(height - 1) * line + width * atom}")
    return elements, -(-channels // elements), line, surface


def _view(data: typing.Any, config: str, shape: typing.Sequence[int], dtype: str, line: int,
          surface: int) -> "Array":
    """The atoms of a cube in a buffer: [surface, y, x, element]."""
    import numpy
    size = numpy.dtype(dtype).itemsize
    elements, surfaces, line, surface = _strides(config, shape, size, line, surface)
    _, height, width = shape
    if len(data) < (surfaces - 1) * surface + (height - 1) * line + width * elements * size:
        raise ValueError(f"a cube of {shape} ends behind the {len(data)} bytes that there are")
    return numpy.ndarray((surfaces, height, width, elements), numpy.dtype(dtype), data,
                         strides=(surface, line, elements * size, size))


def cube_bytes(array: typing.Any, config: str, line: int = 0, surface: int = 0) -> bytes:
    """The bytes of a feature cube, section 2.

    array          [channel, y, x] of int8, int16 or float16
    line, surface  strides in bytes; 0: packed. Bytes between lines, and elements of the last atoms
                   that have no channel, are 0.
    """
    import numpy
    array = numpy.ascontiguousarray(array)
    if array.ndim != 3:
        raise ValueError(f"a cube: found {array.ndim} dimensions, expected [channel, y, x]")
    elements, surfaces, line, surface = _strides(config, array.shape, array.itemsize, line, surface)
    data = bytearray(surfaces * surface)
    atoms = _view(data, config, array.shape, array.dtype.str, line, surface)
    padded = numpy.zeros((surfaces * elements, *array.shape[1:]), array.dtype)
    padded[:array.shape[0]] = array
    atoms[:] = padded.reshape(surfaces, elements, *array.shape[1:]).transpose(0, 2, 3, 1)
    return bytes(data)


def cube_array(data: typing.Any, config: str, shape: typing.Sequence[int], dtype: str = "int8",
               line: int = 0, surface: int = 0) -> "Array":
    """The array [channel, y, x] of a feature cube at the start of the bytes: a copy."""
    atoms = _view(data, config, shape, dtype, line, surface)
    planes = atoms.transpose(0, 3, 1, 2).reshape(-1, shape[1], shape[2])
    return planes[:shape[0]].copy()


def weight_bytes(array: typing.Any, config: str) -> bytes:
    """The bytes of the weights of a direct convolution, section 5.1, padded to 128.

    array  [kernel, channel, r, s] of int8, int16 or float16
    """
    import numpy
    array = numpy.ascontiguousarray(array)
    if array.ndim != 4:
        raise ValueError(f"weights: found {array.ndim} dimensions, "
                         "expected [kernel, channel, r, s]")
    facts = configuration(config)
    group, block = facts["atomic_k"] // array.itemsize, facts["atomic_c"]
    data = b"".join(
        array[k:k + group, c:c + block].transpose(2, 3, 0, 1).tobytes()
        for k in range(0, array.shape[0], group) for c in range(0, array.shape[1], block))
    return data + bytes(-len(data) % 128)
