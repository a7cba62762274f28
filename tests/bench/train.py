"""The same model and steps in PyTorch, on one thread: for tests/bench/train.js. Reads the text's path, the steps."""
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(1)
text = open(sys.argv[1], encoding="utf8", newline="").read()[:400000]
characters = sorted(set(text))
ids = torch.tensor([characters.index(c) + 3 for c in text])
V, L, D, H, HEADS, T, B = len(characters) + 3, 2, 48, 96, 4, 64, 16
HEAD = D // HEADS
angles = torch.arange(T)[:, None] * 10000.0 ** (-torch.arange(0, HEAD, 2) / HEAD)
cosine, sine = angles.cos(), angles.sin()
later = torch.ones(T, T, dtype=torch.bool).triu(1)


def turn(x):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cosine - b * sine, a * sine + b * cosine), -1).flatten(-2)


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.gated_norm = Norm(), Norm()
        self.mixed, self.out = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D, bias=False)
        self.gates, self.down = nn.Linear(D, 2 * H, bias=False), nn.Linear(H, D, bias=False)

    def forward(self, x):
        q, k, v = self.mixed(self.norm(x)).view(-1, T, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
        scores = turn(q) @ turn(k).transpose(-1, -2) / HEAD**0.5
        mixed = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(-1, T, D))
        gate, value = self.gates(self.gated_norm(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * value)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(V, D) * 0.07)
        self.layers = nn.ModuleList(Layer() for _ in range(L))
        self.norm = Norm()

    def forward(self, tokens):
        x = self.embedding[tokens]
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embedding.T


model = Model()
optimiser = torch.optim.AdamW(model.parameters(), 3e-3, betas=(0.9, 0.99), weight_decay=0.1)
print("ready", sum(p.numel() for p in model.parameters()), flush=True)
for line in sys.stdin:  # each line: how many steps
    start, wall = time.process_time(), time.perf_counter()
    for _ in range(int(line)):
        first = torch.randint(len(ids) * 9 // 10 - T, (B,))
        rows = torch.stack([ids[i:i + T + 1] for i in first])
        loss = F.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    print((time.process_time() - start) * 1000, (time.perf_counter() - wall) * 1000, loss.item(), flush=True)
