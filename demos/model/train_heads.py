#!/usr/bin/python3
"""Trains heads that draft for a model of this folder: write, medusa, eagle, evaluate. See README.md."""
import argparse
import os
import random
import signal
import time

import numpy as np
import torch
import torch.nn.functional as F

import data
from heads import Eagle, Medusa, export, from_file, later
from model import Norm, from_gguf, rotate
from train import Optimizer

TEMPERATURE = 0.8                                          # of the distributions to learn: as the pages draw
DISCOUNT = 0.8                                             # of the loss, for each token further ahead


@torch.no_grad()
def write(model, prompts, length, temperature, dtype=torch.bfloat16):
    """Continues each prompt to the end of its story, or to `length` tokens. `temperature`: one for each; 0: greedy."""
    B, H, K, S = len(prompts), model.heads, model.kv, model.size
    ids = torch.full((B, length), data.EOS)
    for row, prompt in zip(ids, prompts):
        row[:len(prompt)] = torch.as_tensor(prompt)
    given, ended = torch.tensor([len(p) for p in prompts]), torch.zeros(B, dtype=torch.bool)
    keys, values = (torch.zeros(len(model.q), B, K, length, S) for _ in range(2))
    w = {n: p.to(dtype) if p.dim() == 3 else p for n, p in model.named_parameters()}
    for at in range(length - 1):
        x = F.embedding(ids[:, at], model.embedding)
        for i in range(len(model.q)):
            h = Norm.apply(x, w["attn_norm"][i], dtype)
            q, k, v = ((h @ w[n][i].t()).float().view(B, 1, -1, S) for n in "qkv")
            q, k = (rotate(y, model.turns[at:at + 1]) for y in (q, k))
            keys[i, :, :, at], values[i, :, :, at] = k[:, 0], v[:, 0]
            a = (q.view(B, K, H // K, S) @ keys[i, :, :, :at + 1].transpose(2, 3) * S ** -0.5).softmax(-1)
            y = (a @ values[i, :, :, :at + 1]).view(B, H * S)
            x = x + y.to(dtype) @ w["o"][i].t()
            h = Norm.apply(x, w["ffn_norm"][i], dtype)
            x = x + (F.silu(h @ w["gate"][i].t()) * (h @ w["up"][i].t())) @ w["down"][i].t()
        logits = (Norm.apply(x, model.norm, dtype) @ model.embedding.to(dtype).t()).float()
        gumbel = -torch.empty_like(logits).exponential_().log()
        token = torch.where(ended, data.EOS, (logits + temperature[:, None] * gumbel).argmax(1))
        own = at + 1 >= given
        ids[:, at + 1] = torch.where(own, token, ids[:, at + 1])
        ended |= own & (ids[:, at + 1] == data.EOS)
        if ended.all():
            break
    out = []
    for row, n in zip(ids.numpy(), given.tolist()):
        end = np.flatnonzero(row[n:] == data.EOS)
        out.append(row[:n + end[0] + 1] if len(end) else row)
    return out


def write_training(model, a):
    """Stories that begin as a training story does and that the model ends, each at a temperature from 0 to 1."""
    rows, _ = data.load(a.out, "train")
    rng, written = random.Random(a.seed), []
    for _ in range(a.stories // 256):
        prompts = [row[:rng.randint(1, 24)] for row in rng.sample(rows, 256)]
        written += write(model, prompts, 320, torch.tensor([rng.random() for _ in prompts]))
        print(len(written), "stories", sum(map(len, written)), "tokens", flush=True)
        np.savez(os.path.join(a.out, "own.npz"), tokens=np.concatenate(written).astype(np.int16),
                 lengths=[len(row) for row in written])


class SoftLoss(torch.autograd.Function):
    """Sum of the cross-entropies towards distributions; the gradient is made along with it."""

    @staticmethod
    def forward(ctx, logits, wanted, keep):
        p = torch.log_softmax(logits.float(), -1)
        loss = -(p * wanted).sum(-1).mul(keep).sum()
        ctx.save_for_backward(p.exp_().sub_(wanted).mul_(keep[..., None]).to(logits.dtype))
        return loss

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g.to(ctx.saved_tensors[0].dtype), None, None


def train(target, base, a):
    random.seed(a.seed)
    torch.manual_seed(a.seed)
    rng = random.Random(a.seed)
    own = np.load(os.path.join(a.out, "own.npz"))
    rows = data.load(a.out, "train")[0] + np.split(own["tokens"].astype(np.int64), np.cumsum(own["lengths"])[:-1])
    heads = dict(medusa=Medusa, eagle=Eagle)[a.command](target)
    optimizer = Optimizer(heads, a.muon_lr, a.adam_lr, 0.1)
    path, budget = a.command + ".gguf", a.minutes * 60
    stop, spent, tokens, said, last = [], 0.0, 0, [], time.time()
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    print("parameters", sum(p.numel() for p in heads.parameters()), vars(a), flush=True)
    while spent < budget and not stop:
        for x, y in data.batches(rows, a.batch, rng, target.shape["context"]):
            if spent >= budget or stop:
                break
            x, keep = torch.from_numpy(x).clamp_(min=0), torch.from_numpy(y) >= 0
            h, drafts = heads(target, x, torch.bfloat16)
            with torch.no_grad():
                wanted = (h @ target.embedding.bfloat16().t()).float().div_(TEMPERATURE).softmax(-1)
            losses = []
            for j, logits in enumerate(drafts):
                kept = later(keep, j + 1, False)
                losses.append(SoftLoss.apply(logits, later(wanted, j + 1), kept) / kept.sum().clamp(min=1))
            sum(loss * DISCOUNT ** j for j, loss in enumerate(losses)).backward()
            rate = min(1, (optimizer.steps + 1) / 50) * min(1, 2 * (1 - spent / budget))
            optimizer.step(rate, min(0.95, 0.85 + 0.1 * optimizer.steps / 300))
            tokens += int(keep.sum())
            said.append([float(loss) for loss in losses])
            spent, last = spent + min(time.time() - last, 30), time.time()
            if len(said) == 50:
                print("%5d steps %5.1f min %5.2f Mtok rate %.3f loss %s" % (optimizer.steps, spent / 60, tokens / 1e6,
                      rate, " ".join("%.3f" % v for v in np.mean(said, 0))), flush=True)
                said = []
            if optimizer.steps % 200 == 0:
                export(heads, target, base, path, a.target)
    export(heads, target, base, path, a.target)


# ---- what the file as shipped does -------------------------------------------------------------------------------

@torch.no_grad()
def held_out_loss(heads, target, a):
    """-> nats a token of the held-out stories, for each head"""
    rows, _ = data.load(a.out, "held")
    total, count = torch.zeros(heads.count).double(), torch.zeros(heads.count)
    for row in rows:
        ids = torch.from_numpy(row[:target.shape["context"]])
        for j, logits in enumerate(heads(target, ids[None], torch.float32)[1]):
            label = ids[j + 2:]
            total[j] += F.cross_entropy(logits[0, :len(label)], label, reduction="sum").double()
            count[j] += len(label)
    return (total / count).tolist()


@torch.no_grad()
def ranks(heads, target, rows, starts):
    """-> for each place from which all heads' tokens are known: the rank, from 0, that each head gives to its token"""
    out = []
    for row, start in zip(rows, starts):
        ids = torch.from_numpy(row)
        n = len(ids) - 1 - heads.count
        if n < start:
            continue
        found = []
        for j, logits in enumerate(heads(target, ids[None], torch.float32)[1]):
            logits, label = logits[0, start - 1:n], ids[start + 1 + j:n + 2 + j]
            found.append((logits > logits.gather(1, label[:, None])).sum(1))
        out.append(torch.stack(found, 1))
    return torch.cat(out).numpy()


def shares(found):
    """-> for each path of ranks from the root, in how many of the places all of it was right"""
    paths = {}
    for row in found:
        for depth in range(1, len(row) + 1):
            path = tuple(row[:depth].tolist())
            if max(path) < 10:
                paths[path] = paths.get(path, 0) + 1 / len(found)
    return paths


def places(target, a):
    """-> texts to measure on, none of which training saw, and where each begins to count"""
    torch.manual_seed(a.seed + 1)
    rng = random.Random(a.seed + 1)
    held = data.load(a.out, "held")[0][::4]
    own = write(target, [[data.BOS]] * 64, 256, torch.full((64,), TEMPERATURE), torch.float32)
    found = {"written at temperature %g" % TEMPERATURE: (own, [2] * len(own))}
    for name, texts in {"held out, continued greedily": held, "written, continued greedily": own}.items():
        starts = [rng.randint(2, min(len(row) - 1, 200)) for row in texts]
        rows = write(target, [row[:n] for row, n in zip(texts, starts)], 232, torch.zeros(len(texts)), torch.float32)
        found[name] = [row[:n + 32] for row, n in zip(rows, starts)], starts
    return found


def evaluate(target, a):
    texts = places(target, a)
    for path in a.gguf:
        heads, found = from_file(path, target), {}
        print(path, os.path.getsize(path), "bytes")
        for name, (rows, starts) in texts.items():
            found[name] = ranks(heads, target, rows, starts)
            print("%s: %d places" % (name, len(found[name])))
            for j in range(heads.count):
                first = " ".join("%.3f" % (found[name][:, j] < n).mean() for n in (1, 2, 3, 5))
                chain = (found[name][:, :j + 1] == 0).all(1).mean()
                print("  head %d: right among its first 1, 2, 3, 5: %s; it and those before: %.3f" % (j, first, chain))
        everything = shares(np.concatenate(list(found.values())))
        apart = [shares(one) for one in found.values()]
        ranked = sorted(everything, key=lambda path: (-everything[path], len(path), path))
        for nodes in (1, 2, 3, 4, 6, 8, 12, 16):
            tree = sorted(ranked[:nodes])
            print("%d nodes, tokens a pass: %.3f of all," % (nodes, 1 + sum(everything[path] for path in tree)),
                  " ".join("%.3f" % (1 + sum(paths.get(path, 0) for path in tree)) for paths in apart), "of each;",
                  " ".join("".join(map(str, path)) for path in tree), flush=True)
        print("held out, nats a token:", " ".join("%.3f" % v for v in held_out_loss(heads, target, a)), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("command", choices=["write", "medusa", "eagle", "evaluate"])
    p.add_argument("--target", default="storyteller.gguf")
    p.add_argument("--out", default=data.BUILD, help="folder that train.py prepared")
    p.add_argument("--stories", type=int, default=512, help="how many the target writes")
    p.add_argument("--minutes", type=float, default=25)
    p.add_argument("--batch", type=int, default=1024, help="tokens")
    p.add_argument("--muon-lr", type=float, default=0.02)
    p.add_argument("--adam-lr", type=float, default=0.004)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--gguf", nargs="+", default=["medusa.gguf", "eagle.gguf"], help="files to evaluate")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    target, base = from_gguf(a.target)
    target.requires_grad_(False)
    if a.command == "write":
        torch.manual_seed(a.seed)
        write_training(target, a)
    elif a.command == "evaluate":
        evaluate(target, a)
    else:
        train(target, base, a)


if __name__ == "__main__":
    main()
