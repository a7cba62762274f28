"""GGUF version 3, as much of it as a small llama needs: write, and read back."""
import struct

import numpy as np

MAGIC, VERSION, ALIGN = b"GGUF", 3, 32
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
PACK = {0: "<B", 1: "<b", 2: "<H", 3: "<h", U32: "<I", I32: "<i", F32: "<f", BOOL: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TYPE_F32, TYPE_Q8_0 = 0, 8


def quantise(x):
    """float32 rows -> Q8_0 blocks: a float16 scale, absmax / 127, then 32 signed bytes, rounded half away from 0."""
    x = np.ascontiguousarray(x, np.float32).reshape(-1, 32)
    scale = np.abs(x).max(1) / np.float32(127)
    inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
    v = x * inverse[:, None]
    q = (np.sign(v) * np.floor(np.abs(v) + np.float32(0.5))).astype(np.int8)
    blocks = np.empty(len(x), dtype=[("d", "<f2"), ("q", "i1", 32)])
    blocks["d"], blocks["q"] = scale, q
    return blocks.tobytes()


def dequantise(raw, shape):
    blocks = np.frombuffer(raw, dtype=[("d", "<f2"), ("q", "i1", 32)])
    return (blocks["q"].astype(np.float32) * blocks["d"].astype(np.float32)[:, None]).reshape(shape)


def string(s):
    b = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(b)) + b


def value(kind, v):
    if kind == STRING:
        return string(v)
    if isinstance(kind, tuple):                            # (ARRAY, element type)
        return struct.pack("<IQ", kind[1], len(v)) + b"".join(value(kind[1], e) for e in v)
    return struct.pack(PACK[kind], v)


def write(path, metadata, tensors):
    """metadata: [(key, type, value)]; tensors: [(name, float32 array, TYPE_F32 or TYPE_Q8_0)]"""
    head = MAGIC + struct.pack("<IQQ", VERSION, len(tensors), len(metadata))
    for key, kind, v in metadata:
        head += string(key) + struct.pack("<I", kind[0] if isinstance(kind, tuple) else kind) + value(kind, v)
    body, offset = [], 0
    for name, array, kind in tensors:
        raw = quantise(array) if kind == TYPE_Q8_0 else np.ascontiguousarray(array, "<f4").tobytes()
        head += string(name) + struct.pack("<I", array.ndim)
        head += b"".join(struct.pack("<Q", n) for n in reversed(array.shape))       # innermost first
        head += struct.pack("<IQ", kind, offset)
        raw += b"\0" * (-len(raw) % ALIGN)
        body.append(raw)
        offset += len(raw)
    head += b"\0" * (-len(head) % ALIGN)
    with open(path, "wb") as f:
        f.write(head + b"".join(body))


def parse(b):
    """-> metadata {key: value}, tensors [(name, shape, type, offset)], where the header ends and the data begin"""
    at = 0

    def take(form):
        nonlocal at
        out = struct.unpack_from(form, b, at)
        at += struct.calcsize(form)
        return out if len(out) > 1 else out[0]

    def take_string():
        nonlocal at
        n = take("<Q")
        at += n
        return b[at - n:at].decode()

    def take_value(kind):
        if kind == STRING:
            return take_string()
        if kind == ARRAY:
            of, n = take("<IQ")
            return [take_value(of) for _ in range(n)]
        return take(PACK[kind])

    assert take("<4s") == MAGIC and take("<I") == VERSION
    count, keys = take("<QQ")
    metadata = {}
    for _ in range(keys):
        key = take_string()
        metadata[key] = take_value(take("<I"))
    infos = []
    for _ in range(count):
        name = take_string()
        shape = tuple(take("<Q") for _ in range(take("<I")))[::-1]
        infos.append((name, shape) + take("<IQ"))
    return metadata, infos, at, at + -at % metadata.get("general.alignment", ALIGN)


def read(path):
    """-> metadata {key: value}, tensors {name: float32 array}, dequantised from the bytes of the file"""
    b = open(path, "rb").read()
    metadata, infos, _, start = parse(b)
    tensors = {}
    for name, shape, kind, offset in infos:
        n = int(np.prod(shape))
        if kind == TYPE_F32:
            tensors[name] = np.frombuffer(b, "<f4", n, start + offset).reshape(shape)
        else:
            assert kind == TYPE_Q8_0
            tensors[name] = dequantise(b[start + offset:start + offset + n // 32 * 34], shape)
    return metadata, tensors
