#!/usr/bin/python3
"""Trains the models of this folder: prepare, train, evaluate, export. See README.md."""
import argparse
import json
import math
import os
import random
import signal
import time

import torch
import torch.nn.functional as F

import data
import gguf
from model import EPS, MATRICES, NORMS, THETA, Dropper, Llama, from_gguf


# ---- the optimizer -----------------------------------------------------------------------------------------------

def orthogonalise(g):
    """Newton-Schulz towards the nearest (semi-)orthogonal matrix, a batch of matrices at a time."""
    x = g.bfloat16()
    tall = x.shape[1] > x.shape[2]
    x = x.transpose(1, 2) if tall else x
    x = (x / (x.float().flatten(1).norm(dim=1)[:, None, None] + 1e-7)).contiguous().bfloat16()
    for _ in range(5):
        a = torch.bmm(x, x.transpose(1, 2))
        x = 3.4445 * x + torch.bmm(-4.7750 * a + 2.0315 * torch.bmm(a, a), x)
    return (x.transpose(1, 2) if tall else x).float()


class Optimizer:
    """Muon for the matrices of the layers, Adam for embedding and norms; decoupled weight decay on matrices."""

    def __init__(self, model, muon_lr, adam_lr, decay):
        self.muon_lr, self.adam_lr, self.decay, self.steps = muon_lr, adam_lr, decay, 0
        self.params = dict(model.named_parameters())
        self.state = {n: [torch.zeros_like(p) for _ in range(1 if p.dim() == 3 else 2)]
                      for n, p in self.params.items()}

    @torch.no_grad()
    def step(self, scale, momentum):
        self.steps += 1
        for n, p in self.params.items():
            g, s = p.grad, self.state[n]
            if p.dim() == 3:
                s[0].mul_(momentum).add_(g, alpha=1 - momentum)
                update = orthogonalise(g.lerp(s[0], momentum))
                lr = self.muon_lr * scale
                p.mul_(1 - lr * self.decay)
                p.add_(update, alpha=-lr * max(1, p.shape[1] / p.shape[2]) ** 0.5)
            else:
                s[0].lerp_(g, 0.1)
                s[1].mul_(0.98).addcmul_(g, g, value=0.02)
                lr = self.adam_lr * scale
                if n == "embedding":
                    p.mul_(1 - lr * self.decay)
                step = s[0] / (1 - 0.9 ** self.steps)
                p.addcdiv_(step, (s[1] / (1 - 0.98 ** self.steps)).sqrt_().add_(1e-10), value=-lr)
            p.grad = None


# ---- training ----------------------------------------------------------------------------------------------------

@torch.no_grad()
def bits_per_byte(model, out, limit=None, dtype=torch.float32):
    """-> (bits of the tokens of the text, the same with the end-of-story token) / bytes. Stories longer than the
    context: in windows that overlap by half, each token counted once."""
    rows, size = data.load(out, "held")
    rows, size, context = rows[:limit], size[:limit], model.shape["context"]
    text = end = 0.0
    was = model.training
    model.eval()
    for i in sorted(range(len(rows)), key=lambda i: len(rows[i])):
        row, done = torch.from_numpy(rows[i]), 1
        while done < len(row):
            start = 0 if done == 1 else done - context // 2
            ids = row[start:start + context + 1]
            p = F.log_softmax(model(ids[None, :-1], dtype=dtype)[0].float(), -1)
            nll = -p.gather(1, ids[1:, None])[done - start - 1:, 0].double() / math.log(2)
            text += nll.sum().item()
            done = start + len(ids)
        text -= nll[-1].item()
        end += nll[-1].item()
    model.train(was)
    total = float(size.sum())
    return text / total, (text + end) / total


class Threads:
    """One thread when other programs keep a core busy, else all: two threads that wait for each other at the end of
    every operation stand still while one of them is kept off its core. (Linux; elsewhere: no change.)"""

    def __init__(self):
        self.all, self.before = torch.get_num_threads(), self.read()

    @staticmethod
    def read():
        try:
            fields = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
        except OSError:
            return None
        busy = sum(fields) - fields[3] - fields[4]
        return time.time(), busy / os.sysconf("SC_CLK_TCK") - sum(os.times()[:2])

    def adapt(self):
        now, before, self.before = self.read(), self.before, self.read()
        if now and self.all > 1:
            others = (now[1] - before[1]) / (now[0] - before[0] + 1e-9)
            torch.set_num_threads(1 if others > 0.45 else self.all)


def save(path, **what):
    torch.save(what, path + ".tmp")
    os.replace(path + ".tmp", path)


def train(a):
    random.seed(a.seed)
    torch.manual_seed(a.seed)
    rng = random.Random(a.seed)
    rows, _ = data.load(a.out, "train")
    extra, _ = data.load(a.out, "other")
    model = Llama(data.tokenizer(a.out).vocab_size(), a.dim, a.hidden, a.layers, a.heads, a.kv_heads, a.context)
    model.drop = Dropper(a.dropout)
    teacher = from_gguf(a.teacher)[0] if a.teacher else None
    optimizer = Optimizer(model, a.muon_lr, a.adam_lr, a.decay)
    path = os.path.join(a.out, a.name + ".pt")
    spent, tokens, epoch, average = 0.0, 0, 0, None
    if a.resume and os.path.exists(path):
        c = torch.load(path)
        model.load_state_dict(c["model"])
        optimizer.state, optimizer.steps = c["optimizer"], c["steps"]
        spent, tokens, epoch, average = c["spent"], c["tokens"], c["epoch"], c["average"]
        rng.seed(a.seed + optimizer.steps)
    print("parameters", sum(p.numel() for p in model.parameters()), vars(a), flush=True)
    average = average or {n: p.detach().clone() for n, p in model.named_parameters()}
    budget, last, said, recent, count = a.minutes * 60, time.time(), time.time(), 0.0, 0
    saved, looked = spent, spent

    def keep():
        save(path, model=model.state_dict(), average=average, optimizer=optimizer.state, steps=optimizer.steps,
             spent=spent, tokens=tokens, epoch=epoch, shape=model.shape, arguments=vars(a))

    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    threads = Threads()
    while spent < budget and not stop:
        progress = spent / budget
        mixed = rows + (extra if progress < a.extra_until else [])
        model.drop.refresh()
        for x, y in data.batches(mixed, a.batch, rng, a.context):
            progress = spent / budget
            if progress >= 1 or stop:
                break
            if optimizer.steps % 15 == 0:
                threads.adapt()
            warm = min(1, (optimizer.steps + 1) / 100)
            rate = warm * min(1, (1 - progress) / a.cooldown)
            x, y = torch.from_numpy(x).clamp_(min=0), torch.from_numpy(y)
            n = int((y >= 0).sum())
            soft = None
            if teacher and progress >= a.teacher_from:
                with torch.no_grad():
                    soft = teacher(x, dtype=torch.bfloat16).flatten(0, 1)
            loss = model(x, y, dtype=torch.bfloat16, teacher=soft) / n
            loss.backward()
            optimizer.step(rate, min(0.95, 0.85 + 0.1 * optimizer.steps / 300))
            with torch.no_grad():
                for name, p in model.named_parameters():
                    average[name].lerp_(p, 0.005)
            tokens += n
            recent, count = recent + float(loss), count + 1
            now = time.time()
            spent, last = spent + min(now - last, 30), now       # a suspended machine is not training time
            if count == 50:
                print("%5d steps %5.1f min %6.2f Mtok epoch %2d loss %.4f rate %.3f %6.0f tok/s %d threads" % (
                    optimizer.steps, spent / 60, tokens / 1e6, epoch, recent / count, rate,
                    50 * a.batch * 0.97 / (now - said), torch.get_num_threads()), flush=True)
                recent, count, said = 0.0, 0, now
            if spent - looked > a.look * 60:
                print("held out (part) %.4f" % bits_per_byte(model, a.out, 60, torch.bfloat16)[0], flush=True)
                looked, last, said = spent, time.time(), time.time()
            if spent - saved > 120:
                keep()
                saved = spent
        epoch += 1
    keep()
    if not stop:
        evaluate(a)


def load_model(path, average=False):
    c = torch.load(path)
    model = Llama(**c["shape"])
    model.load_state_dict(c["model"])
    if average:
        model.load_state_dict(c["average"], strict=False)
    return model.eval(), c


def evaluate(a):
    for average in (False, True):
        model, c = load_model(os.path.join(a.out, a.name + ".pt"), average)
        print("average" if average else "weights", "bits per byte %.4f, with the end of each story %.4f" %
              bits_per_byte(model, a.out), "tokens seen %d" % c["tokens"], flush=True)


# ---- the file --------------------------------------------------------------------------------------------------

def export(a):
    """The checkpoint as GGUF; --average takes the running average of the weights, --float keeps float32."""
    model, _ = load_model(os.path.join(a.out, a.name + ".pt"), a.average)
    tokenizer = data.tokenizer(a.out)
    shape, n = model.shape, tokenizer.vocab_size()
    kinds = [2 if tokenizer.is_unknown(i) else 3 if tokenizer.is_control(i) else 6 if tokenizer.is_byte(i) else 1
             for i in range(n)]
    metadata = [
        ("general.architecture", gguf.STRING, "llama"),
        ("general.name", gguf.STRING, "lastinch " + a.name),
        ("general.description", gguf.STRING, a.description),
        ("general.license", gguf.STRING, a.license),
        ("general.file_type", gguf.U32, 0 if a.float else 7),
        ("general.quantization_version", gguf.U32, 2),
        ("general.alignment", gguf.U32, gguf.ALIGN),
        ("llama.vocab_size", gguf.U32, n),
        ("llama.context_length", gguf.U32, shape["context"]),
        ("llama.embedding_length", gguf.U32, shape["dim"]),
        ("llama.block_count", gguf.U32, shape["layers"]),
        ("llama.feed_forward_length", gguf.U32, shape["hidden"]),
        ("llama.attention.head_count", gguf.U32, shape["heads"]),
        ("llama.attention.head_count_kv", gguf.U32, shape["kv_heads"]),
        ("llama.attention.layer_norm_rms_epsilon", gguf.F32, EPS),
        ("llama.rope.dimension_count", gguf.U32, shape["dim"] // shape["heads"]),
        ("llama.rope.freq_base", gguf.F32, THETA),
        ("tokenizer.ggml.model", gguf.STRING, "llama"),
        ("tokenizer.ggml.tokens", (gguf.ARRAY, gguf.STRING), [tokenizer.id_to_piece(i) for i in range(n)]),
        ("tokenizer.ggml.scores", (gguf.ARRAY, gguf.F32), [tokenizer.get_score(i) for i in range(n)]),
        ("tokenizer.ggml.token_type", (gguf.ARRAY, gguf.I32), kinds),
        ("tokenizer.ggml.unknown_token_id", gguf.U32, data.UNK),
        ("tokenizer.ggml.bos_token_id", gguf.U32, data.BOS),
        ("tokenizer.ggml.eos_token_id", gguf.U32, data.EOS),
        ("tokenizer.ggml.add_bos_token", gguf.BOOL, True),
        ("tokenizer.ggml.add_eos_token", gguf.BOOL, False),
        ("tokenizer.ggml.add_space_prefix", gguf.BOOL, False),
    ]
    matrix = gguf.TYPE_F32 if a.float else gguf.TYPE_Q8_0
    w = {n: p.detach().numpy() for n, p in model.named_parameters()}
    tensors = [("token_embd.weight", w["embedding"], matrix)]
    for i in range(shape["layers"]):
        tensors += [("blk.%d.%s.weight" % (i, n), w[p][i], gguf.TYPE_F32) for n, p in NORMS.items()]
        tensors += [("blk.%d.%s.weight" % (i, n), w[p][i], matrix) for n, p in MATRICES.items()]
    tensors.append(("output_norm.weight", w["norm"], gguf.TYPE_F32))
    target = a.gguf or a.name + ".gguf"
    gguf.write(target + ".tmp", metadata, tensors)
    os.replace(target + ".tmp", target)
    print(target, os.path.getsize(target), "bytes")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("command", choices=["prepare", "train", "evaluate", "export"])
    p.add_argument("--data", default=os.path.join(os.environ.get("LASTINCH_TEST_DATA", "."), "text"))
    p.add_argument("--out", default=data.BUILD, help="folder for the tokenizer, the tokens and the checkpoints")
    p.add_argument("--name", default="storyteller")
    p.add_argument("--vocab", type=int, default=2048, help="size of the stories' vocabulary")
    p.add_argument("--characters", action="store_true", help="prepare the plays, not the stories")
    p.add_argument("--dim", type=int, default=192)
    p.add_argument("--hidden", type=int, default=512)
    p.add_argument("--layers", type=int, default=5)
    p.add_argument("--heads", type=int, default=6)
    p.add_argument("--kv-heads", type=int, default=2)
    p.add_argument("--context", type=int, default=512)
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--batch", type=int, default=4096, help="tokens")
    p.add_argument("--muon-lr", type=float, default=0.02)
    p.add_argument("--adam-lr", type=float, default=0.004)
    p.add_argument("--decay", type=float, default=0.1)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--cooldown", type=float, default=0.5, help="share of the time in which the rate falls to 0")
    p.add_argument("--extra-until", type=float, default=0.5, help="share of the time in which other books are read too")
    p.add_argument("--teacher", help="a GGUF file whose predictions to learn from too")
    p.add_argument("--teacher-from", type=float, default=0.5, help="share of the time after which it teaches")
    p.add_argument("--look", type=float, default=4, help="minutes between looks at part of the held-out stories")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--resume", action="store_true")
    p.add_argument("--gguf", help="file to export to, or to evaluate")
    p.add_argument("--average", action="store_true", help="export the running average of the weights")
    p.add_argument("--float", action="store_true", help="export float32")
    p.add_argument("--license", default="mit")
    p.add_argument("--description", default="A small writer of children's stories, trained on TinyStories")
    a = p.parse_args()
    if a.command == "prepare":
        prepared = data.prepare_characters(a.data, a.out) if a.characters else data.prepare(a.data, a.out, a.vocab)
        print(json.dumps(prepared))
    elif a.command == "train":
        train(a)
    elif a.command == "export":
        export(a)
    elif a.gguf:
        print(a.gguf, "bits per byte %.4f, with the end of each story %.4f" % bits_per_byte(from_gguf(a.gguf)[0], a.out))
    else:
        evaluate(a)


if __name__ == "__main__":
    main()
