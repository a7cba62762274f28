"""The model, llama layout (RMSNorm, rotary positions, grouped-query attention, SwiGLU, tied embeddings), in PyTorch."""
import random

import torch
import torch.nn.functional as F

import gguf

EPS, THETA = 1e-5, 10000.0
MATRICES = dict(attn_q="q", attn_k="k", attn_v="v", attn_output="o", ffn_gate="gate", ffn_up="up", ffn_down="down")
NORMS = dict(attn_norm="attn_norm", ffn_norm="ffn_norm")


class Norm(torch.autograd.Function):
    """RMSNorm in few passes over memory: float32 in, bfloat16 (while training) out."""

    @staticmethod
    def forward(ctx, x, w, dtype):
        r = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(EPS).rsqrt_()
        n = x * r
        ctx.save_for_backward(n, r, w)
        return (n * w).to(dtype)

    @staticmethod
    def backward(ctx, g):
        n, r, w = ctx.saved_tensors
        g = g.float()
        gw = (g * n).flatten(0, -2).sum(0)
        g = g * w
        return g.addcmul_(n, (g * n).mean(-1, keepdim=True), value=-1).mul_(r), gw, None


class Loss(torch.autograd.Function):
    """Sum of cross-entropies; the gradient is made along with them. Target -1: not counted.
    With the logits of a teacher, the gradient (not the sum) is towards half the text and half the teacher."""

    @staticmethod
    def forward(ctx, logits, target, teacher=None):
        p = torch.log_softmax(logits.float(), -1)
        keep, hard = target >= 0, target.clamp(min=0)[:, None]
        loss = -p.gather(1, hard)[:, 0].mul(keep).sum()
        p.exp_()
        share = 1.0
        if teacher is not None:
            share = 0.5
            p.sub_(torch.softmax(teacher.float(), -1), alpha=1 - share)
        p.scatter_add_(1, hard, torch.full(hard.shape, -share))
        p.mul_(keep[:, None])
        ctx.save_for_backward(p.to(logits.dtype))
        return loss

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g.to(ctx.saved_tensors[0].dtype), None, None


def rotations(length, size):
    """cos and sin of every position; pair i is elements 2i and 2i + 1 (llama.cpp's NORM order)."""
    angle = torch.arange(length)[:, None] / THETA ** (torch.arange(0, size, 2) / size)
    return torch.polar(torch.ones_like(angle), angle)


def rotate(x, turns):
    """x: B, T, heads, size"""
    z = torch.view_as_complex(x.float().view(*x.shape[:-1], -1, 2))
    return torch.view_as_real(z * turns[:x.shape[1], None]).flatten(-2).to(x.dtype)


class Dropper:
    """Dropout from one pool of random bits, read at random offsets (drawing fresh bits costs more than the layer)."""

    def __init__(self, p, size=1 << 22):
        self.p, self.size = p, size
        self.refresh()

    def refresh(self):
        if self.p:
            self.pool = ((torch.rand(self.size) >= self.p) / (1 - self.p)).bfloat16()

    def __call__(self, x):
        start = random.randrange(self.size - x.numel())
        return x * self.pool[start:start + x.numel()].view_as(x)


class Llama(torch.nn.Module):
    def __init__(self, vocab, dim, hidden, layers, heads, kv_heads, context):
        super().__init__()
        self.shape = dict(vocab=vocab, dim=dim, hidden=hidden, layers=layers, heads=heads, kv_heads=kv_heads,
                          context=context)
        self.heads, self.kv, self.size = heads, kv_heads, dim // heads
        kv_dim = kv_heads * self.size

        def weights(rows, columns, scale=1.0):
            return torch.nn.Parameter(torch.randn(layers, rows, columns) * scale * columns ** -0.5)

        self.embedding = torch.nn.Parameter(torch.randn(vocab, dim) * 0.02)
        self.q, self.k, self.v = weights(dim, dim), weights(kv_dim, dim), weights(kv_dim, dim)
        self.o = weights(dim, dim, 0.2)
        self.gate, self.up = weights(hidden, dim), weights(hidden, dim)
        self.down = weights(dim, hidden, 0.2)
        self.attn_norm = torch.nn.Parameter(torch.ones(layers, dim))
        self.ffn_norm = torch.nn.Parameter(torch.ones(layers, dim))
        self.norm = torch.nn.Parameter(torch.ones(dim))
        self.turns = rotations(context, self.size)
        self.mask = torch.full((context, context), -1e4).triu_(1)
        self.drop = None

    def states(self, ids, dtype=torch.float32, stream=None):
        """-> the hidden states that the output matrix reads. A list `stream` receives the input of every layer, and
        what the last one leaves."""
        B, T = ids.shape
        H, K, S = self.heads, self.kv, self.size
        layer = zip(*(p.unbind(0) for p in (self.attn_norm, self.q, self.k, self.v, self.o, self.ffn_norm, self.gate,
                                            self.up, self.down)))
        mask = self.mask[:T, :T].to(dtype)
        drop = self.drop if self.training and self.drop and self.drop.p else (lambda x: x)
        x = drop(F.embedding(ids, self.embedding))
        for an, q, k, v, o, fn, gate, up, down in layer:
            if stream is not None:
                stream.append(x)
            h = Norm.apply(x, an, dtype)
            qkv = h @ torch.cat([q * S ** -0.5, k, v]).to(dtype).t()
            qk = rotate(qkv[..., :(H + K) * S].view(B, T, H + K, S), self.turns)
            Q, k_, v_ = qk[:, :, :H], qk[:, :, H:], qkv[..., (H + K) * S:].view(B, T, K, S)
            # query heads of one group side by side as rows of one matrix
            Q = Q.reshape(B, T, K, H // K, S).permute(0, 2, 3, 1, 4).reshape(B * K, H // K * T, S)
            k_ = k_.permute(0, 2, 3, 1).reshape(B * K, S, T)
            v_ = v_.permute(0, 2, 1, 3).reshape(B * K, T, S)
            a = (torch.bmm(Q, k_).view(B * K, H // K, T, T) + mask).softmax(-1)
            y = torch.bmm(a.view(B * K, H // K * T, T), v_)
            y = y.view(B, K, H // K, T, S).permute(0, 3, 1, 2, 4).reshape(B, T, H * S)
            x = x + drop(y @ o.to(dtype).t())
            h = Norm.apply(x, fn, dtype)
            h = F.silu(h @ gate.to(dtype).t()) * (h @ up.to(dtype).t())
            x = x + drop(h @ down.to(dtype).t())
        if stream is not None:
            stream.append(x)
        return Norm.apply(x, self.norm, dtype)

    def forward(self, ids, target=None, dtype=torch.float32, teacher=None):
        h = self.states(ids, dtype)
        logits = h.flatten(0, 1) @ self.embedding.to(dtype).t()
        return logits.view(*ids.shape, -1) if target is None else Loss.apply(logits, target.flatten(), teacher)


def from_gguf(path):
    """The model a file holds, weights dequantised from the file's bytes."""
    m, t = gguf.read(path)
    g = {k: m["llama." + v] for k, v in dict(
        vocab="vocab_size", dim="embedding_length", hidden="feed_forward_length", layers="block_count",
        heads="attention.head_count", kv_heads="attention.head_count_kv", context="context_length").items()}
    model = Llama(**g)
    w = dict(model.named_parameters())
    with torch.no_grad():
        w["embedding"].copy_(torch.from_numpy(t["token_embd.weight"].copy()))
        w["norm"].copy_(torch.from_numpy(t["output_norm.weight"].copy()))
        for n, p in (NORMS | MATRICES).items():
            w[p].copy_(torch.stack([torch.from_numpy(t["blk.%d.%s.weight" % (i, n)].copy())
                                    for i in range(g["layers"])]))
    return model.eval(), m
