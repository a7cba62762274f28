"""Heads that draft for a model, Medusa's and EAGLE's, in PyTorch, and their files."""
import os

import numpy as np
import torch
import torch.nn.functional as F

import gguf
from model import EPS, THETA, Norm, rotate, rotations


def later(x, n, fill=0):
    """What column t + n of x holds, in column t."""
    return F.pad(x[:, n:], (0, 0) * (x.dim() - 2) + (0, n), value=fill)


class Medusa(torch.nn.Module):
    """Head k predicts the token after the next k + 1 ones: output P_k (h + silu(W_k h + b_k)), h the target's hidden
    state and `output` its output matrix (Cai et al., 2024, whose heads have an output matrix each; here it is
    output P_k, which is small: without P_k no head could take back what h says of the next token)."""

    name, count = "medusa", 4

    def __init__(self, target):
        super().__init__()
        d = target.shape["dim"]
        self.weight, self.bias = (torch.nn.Parameter(torch.zeros(self.count, *size)) for size in ((d, d), (d,)))
        self.projection = torch.nn.Parameter(torch.eye(d).repeat(self.count, 1, 1))

    def forward(self, target, ids, dtype):
        """-> the target's hidden states, and the logits of each head in turn: B, T, vocabulary"""
        with torch.no_grad():
            h = target.states(ids, dtype)
        return h, (self.head(target, h, k, dtype) for k in range(self.count))

    def head(self, target, h, k, dtype):
        z = h + F.silu(h @ self.weight[k].to(dtype).t() + self.bias[k].to(dtype))
        return z @ self.projection[k].to(dtype).t() @ target.embedding.to(dtype).t()

    def metadata(self, target, _):
        return [("medusa.head_count", gguf.U32, self.count),
                ("medusa.embedding_length", gguf.U32, target.shape["dim"]),
                ("medusa.vocab_size", gguf.U32, target.shape["vocab"])]

    def tensors(self):
        for k in range(self.count):
            yield "medusa.%d.weight" % k, self.weight[k]
            yield "medusa.%d.bias" % k, self.bias[k]
            yield "medusa.%d.projection.weight" % k, self.projection[k]


class Eagle(torch.nn.Module):
    """One layer that reads three of the target's features and the next token, then its own output in place of the
    features (EAGLE-3, Li et al., 2025). Narrower than the target, with its own embedding and output."""

    name, count = "eagle", 4                               # steps that training unrolls

    def __init__(self, target, dim=96, hidden=256, heads=3, kv_heads=1):
        super().__init__()
        d, self.heads, self.kv, self.size = target.shape["dim"], heads, kv_heads, dim // heads
        self.dim, self.hidden = dim, hidden
        layers = target.shape["layers"]
        self.layers = [1, (layers + 1) // 2, layers]       # the inputs of these layers; the last: what the last leaves

        def matrix(rows, columns, scale=1.0):
            return torch.nn.Parameter(torch.randn(1, rows, columns) * scale * columns ** -0.5)

        # the target's own embedding and output, in the directions that matter most
        with torch.no_grad():
            basis = torch.linalg.svd(target.embedding * target.norm, full_matrices=False)[2][:dim]
            table = target.embedding * target.norm @ basis.t()
        self.embedding, self.output = torch.nn.Parameter(table.clone()), torch.nn.Parameter(table.clone())
        self.fc = matrix(dim, 3 * d, 0.1)
        self.fc.data[0, :, 2 * d:] += basis
        self.attn_q, self.attn_k, self.attn_v = (matrix(n * self.size, 2 * dim) for n in (heads, kv_heads, kv_heads))
        self.attn_output, self.ffn_down = matrix(dim, dim, 0.2), matrix(dim, hidden, 0.2)
        self.ffn_gate, self.ffn_up = matrix(hidden, dim), matrix(hidden, dim)
        for n in ("attn_norm", "attn_norm_2", "ffn_norm", "output_norm"):
            self.register_parameter(n, torch.nn.Parameter(torch.ones(dim)))
        self.turns = rotations(target.shape["context"] + 16, self.size)

    def forward(self, target, ids, dtype):
        stream = []
        with torch.no_grad():
            h = target.states(ids, dtype, stream)
            features = torch.cat([stream[i] for i in self.layers], -1).to(dtype)
        return h, self.steps(ids, features, dtype)

    def steps(self, ids, features, dtype):
        """Step j in row t reads the token t + 1 + j. It attends to the rows up to t of the first step, which know the
        target's features, and to its own steps before."""
        (B, T), G, S = ids.shape, self.heads // self.kv, self.size
        g, keys, values = (features @ self.fc[0].to(dtype).t()).float(), [], []
        mask = torch.full((T, T), -1e4).triu_(1)
        for j in range(self.count):
            c = torch.cat([Norm.apply(F.embedding(later(ids, j + 1), self.embedding), self.attn_norm, dtype),
                           Norm.apply(g, self.attn_norm_2, dtype)], -1)
            q, k, v = ((c @ w[0].to(dtype).t()).view(B, T, -1, S) for w in (self.attn_q, self.attn_k, self.attn_v))
            q, k = (rotate(y, self.turns[j:j + T]).transpose(1, 2) for y in (q * S ** -0.5, k))
            keys.append(k.repeat_interleave(G, 1))
            values.append(v.transpose(1, 2).repeat_interleave(G, 1))
            scores = [(q @ keys[0].transpose(2, 3)).float() + mask]
            scores += [(q * key).sum(-1, keepdim=True).float() for key in keys[1:]]
            a = torch.cat(scores, -1).softmax(-1).to(dtype)
            y = a[..., :T] @ values[0] + sum(a[..., T + i, None] * value for i, value in enumerate(values[1:]))
            y = g + y.transpose(1, 2).flatten(2) @ self.attn_output[0].to(dtype).t()
            n = Norm.apply(y, self.ffn_norm, dtype)
            n = F.silu(n @ self.ffn_gate[0].to(dtype).t()) * (n @ self.ffn_up[0].to(dtype).t())
            g = y + n @ self.ffn_down[0].to(dtype).t()
            yield Norm.apply(g, self.output_norm, dtype) @ self.output.to(dtype).t()

    def metadata(self, target, base):
        numbers = dict(vocab_size=target.shape["vocab"], context_length=target.shape["context"], block_count=1,
                       embedding_length=self.dim, feed_forward_length=self.hidden,
                       target_hidden_size=target.shape["dim"])
        numbers.update({"attention.head_count": self.heads, "attention.head_count_kv": self.kv,
                        "attention.key_length": self.size, "attention.value_length": self.size,
                        "rope.dimension_count": self.size})
        kinds = {bool: gguf.BOOL, int: gguf.U32, str: gguf.STRING}
        arrays = dict(tokens=gguf.STRING, scores=gguf.F32, token_type=gguf.I32)
        return [("eagle3." + k, gguf.U32, v) for k, v in numbers.items()] + [
            ("eagle3.attention.layer_norm_rms_epsilon", gguf.F32, EPS), ("eagle3.rope.freq_base", gguf.F32, THETA),
            ("eagle3.target_layers", (gguf.ARRAY, gguf.I32), self.layers),
            ("eagle3.norm_before_residual", gguf.BOOL, False)] + [
            (k, (gguf.ARRAY, arrays[k.split(".")[-1]]) if isinstance(v, list) else kinds[type(v)], v)
            for k, v in base.items() if k.startswith("tokenizer.")]

    def tensors(self):
        for n, p in self.named_parameters():
            n = dict(embedding="token_embd").get(n, n)
            top = n in ("token_embd", "output", "output_norm", "fc")
            yield n + ".weight" if top else "blk.0.%s.weight" % n, p[0] if p.dim() == 3 else p


def xxh64(data):
    """Collet's XXH64 with seed 0."""
    M, A, B, C, D, E = (1 << 64) - 1, 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, \
        0x27D4EB2F165667C5

    def turn(x, n):
        return (x << n | x >> (64 - n)) & M

    def mix(lane, word):
        return turn((lane + word * B) & M, 31) * A & M

    words, blocks = np.frombuffer(data, "<u8", len(data) // 8).tolist(), len(data) // 32
    h, lanes = E, [(A + B) & M, B, 0, -A & M]
    for i in range(0, 4 * blocks, 4):
        lanes = [mix(lane, word) for lane, word in zip(lanes, words[i:i + 4])]
    if blocks:
        h = sum(turn(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & M
        for lane in lanes:
            h = ((h ^ mix(0, lane)) * A + D) & M
    h = (h + len(data)) & M
    for word in words[4 * blocks:]:
        h = (turn(h ^ mix(0, word), 27) * A + D) & M
    rest = data[8 * len(words):]
    if len(rest) >= 4:
        h = (turn(h ^ int.from_bytes(rest[:4], "little") * A & M, 23) * B + C) & M
        rest = rest[4:]
    for byte in rest:
        h = turn(h ^ byte * E & M, 11) * A & M
    h = (h ^ h >> 33) * B & M
    h = (h ^ h >> 29) * C & M
    return h ^ h >> 32


def hash_of(path):
    """What the engine knows a file by: the hash of its header and its tensor data, without the padding between."""
    b = open(path, "rb").read()
    end, start = gguf.parse(b)[2:]
    return "%016x" % xxh64(b[:end] + b[start:])


def export(heads, target, base, path, target_path):
    metadata = [
        ("general.architecture", gguf.STRING, dict(eagle="eagle3").get(heads.name, heads.name)),
        ("general.name", gguf.STRING, "lastinch " + heads.name),
        ("general.description", gguf.STRING, "Heads that draft for " + base["general.name"]),
        ("general.license", gguf.STRING, "mit"),
        ("general.base_model.count", gguf.U32, 1),
        ("general.base_model.0.name", gguf.STRING, base["general.name"]),
        ("general.base_model.0.xxh64", gguf.STRING, hash_of(target_path)),
        ("general.file_type", gguf.U32, 7),
        ("general.quantization_version", gguf.U32, 2),
        ("general.alignment", gguf.U32, gguf.ALIGN)]
    gguf.write(path + ".tmp", metadata + heads.metadata(target, base),
               [(n, p.detach().numpy(), gguf.TYPE_F32 if p.dim() == 1 else gguf.TYPE_Q8_0) for n, p in heads.tensors()])
    os.replace(path + ".tmp", path)


def from_file(path, target):
    m, t = gguf.read(path)
    heads = (Eagle if m["general.architecture"] == "eagle3" else Medusa)(target)
    with torch.no_grad():
        for n, p in heads.tensors():
            p.copy_(torch.from_numpy(t[n].copy()))
    return heads.eval()
