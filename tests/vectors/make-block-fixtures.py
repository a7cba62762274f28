"""Writes tests/vectors/llama-blocks.h: blocks that llama.cpp quantised, and digests of the weights it reads from them.
llama.cpp is not needed to run the tests, only to make this file again:

    python3 tests/vectors/make-block-fixtures.py FOLDER

FOLDER holds libggml-base.so, for example the folder bins/linux-x64 of npm's @node-llama-cpp/linux-x64.
"""
import ctypes
import pathlib
import struct
import sys

COLUMNS = 256
# Number of the type, and the bytes of 256 columns.
TYPES = {
    "q4_0": (2, 144), "q4_1": (3, 160), "q5_0": (6, 176), "q5_1": (7, 192), "q8_0": (8, 272), "q2_K": (10, 84),
    "q3_K": (11, 110), "q4_K": (12, 144), "q5_K": (13, 176), "q6_K": (14, 210), "iq4_nl": (20, 144),
    "iq4_xs": (23, 136), "mxfp4": (39, 136),
}


def weights(count):
    """Numbers between -1 and 1, small ones more often, some large."""
    state = 1
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        uniform = state / 2**31 - 1
        yield uniform**3 * (8 if i % 61 == 0 else 1)


def digest(numbers):
    """FNV-1a of the bits; no difference between the zeros."""
    value = 2166136261
    for number in numbers:
        for byte in struct.pack("<f", number + 0.0):
            value = (value ^ byte) * 16777619 % 2**32
    return value


def main():
    library = ctypes.CDLL(str(pathlib.Path(sys.argv[1]) / "libggml-base.so"))
    rows = []
    for name, (number, size) in TYPES.items():
        values = (ctypes.c_float * COLUMNS)(*weights(COLUMNS))
        raw = (ctypes.c_uint8 * size)()
        out = (ctypes.c_float * COLUMNS)()
        getattr(library, f"quantize_row_{name}_ref")(values, raw, ctypes.c_int64(COLUMNS))
        getattr(library, f"dequantize_row_{name}")(raw, out, ctypes.c_int64(COLUMNS))
        text = bytes(raw).hex()
        lines = "\n".join(f'     "{text[i : i + 108]}"' for i in range(0, len(text), 108))
        rows.append(f"    {{{number}, {digest(out)}u,\n{lines}}},")
    header = """// 256 columns in each block format by llama.cpp, in hexadecimal, and a digest of the weights that llama.cpp reads from
// them. Made by make-block-fixtures.py.
static const struct {
    unsigned number, digest;
    const char *bytes;
} llama_blocks[] = {
"""
    path = pathlib.Path(__file__).parent / "llama-blocks.h"
    path.write_text(header + "\n".join(rows) + "\n};\n")


main()
