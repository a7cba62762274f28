#!/usr/bin/python3
"""Finds what prompts.json records, on the weights as shipped: prompts on which greedy decoding loops, one sampled token
that breaks each loop, and a story at temperature 0.7. Arithmetic is float32 on the dequantised weights."""
import argparse
import hashlib
import json
import os
import random
import re

import numpy as np

import data
import gguf

WHO = ["Lily", "Tom", "a little bird", "a big dog", "the old man", "Sara and Ben", "a small frog", "the rabbit"]
PROMPTS = ["", "Once upon a time", "Once upon a time, in a forest far away", "One day", "One sunny day", "The end",
           "He said", "She said", "and the", "The cat", "The little train", "I love you", "They played", "It was dark",
           "The rain", "\"Hello,\" said the", "\"No,\" said", "\"Yes,\" said", "The dog ran and ran", "Tick, tock",
           "The wheels on the bus go round and", "Row, row, row", "Knock, knock", "Hop, hop, hop", "Mom said", "Dad said",
           "The sun was hot", "The moon was bright", "In the garden there was", "Deep in the sea", "The king had",
           "There was a dragon", "The bear was hungry", "The princess", "On the farm", "At the beach", "In the snow",
           "The boat", "The robot", "The kite", "The red ball", "The big tree", "The fish swam", "A wolf", "The clock",
           "Lily and Tom went to the park", "Tom had a toy car", "Anna was sad", "Max the dog", "The wind blew"]
PROMPTS += ["Once upon a time, there was %s" % w for w in WHO[2:4] + WHO[6:7]]
PROMPTS += ["%s%s wanted to" % (w[0].upper(), w[1:]) for w in WHO] + ["%s%s said, \"" % (w[0].upper(), w[1:]) for w in WHO]
PROMPTS += ["One day, %s was" % w for w in WHO] + ["%s%s looked and looked" % (w[0].upper(), w[1:]) for w in WHO]
PROMPTS += ["Every day, %s" % w for w in WHO] + ["The more %s" % w for w in WHO]
PROMPTS += ["The %s %s" % (who, what) for who in ("cat", "dog", "bird", "boy", "girl", "fish", "tree", "king")
            for what in ("said, \"", "was very", "ran and", "went up and up", "saw a", "did not want to", "had a box")]
PROMPTS += ["Once upon a time, there was a %s. The %s" % (w, w) for w in (
    "boat", "duck", "king", "tree", "robot", "cloud", "mouse", "truck", "queen", "bear", "flower", "cake")]


class Writer:
    """The forward pass one token at a time, with a cache of keys and values."""

    def __init__(self, path):
        self.m, self.w = gguf.read(path)
        m, w = self.m, self.w
        self.heads, self.kv = m["llama.attention.head_count"], m["llama.attention.head_count_kv"]
        self.size = m["llama.rope.dimension_count"]
        self.eps, self.context = m["llama.attention.layer_norm_rms_epsilon"], m["llama.context_length"]
        half = m["llama.rope.freq_base"] ** (np.arange(0, self.size, 2) / self.size)
        self.turns = np.exp(1j * np.arange(self.context)[:, None] / half).astype(np.complex64)
        self.layers = []
        for i in range(m["llama.block_count"]):
            b = {n: w["blk.%d.%s.weight" % (i, n)] for n in (
                "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")}
            self.layers.append(b)
        kv_dim = self.kv * self.size
        self.cache = [np.zeros((2, self.context, kv_dim), np.float32) for _ in self.layers]

    def norm(self, x, w):
        return x / np.sqrt(np.mean(x * x) + np.float32(self.eps)) * w

    def turn(self, x, at):
        z = x.reshape(-1, self.size // 2, 2)
        z = (z[..., 0] + 1j * z[..., 1]) * self.turns[at]
        return np.stack([z.real, z.imag], -1).reshape(-1).astype(np.float32)

    def step(self, token, at):
        x = self.w["token_embd.weight"][token]
        for b, cache in zip(self.layers, self.cache):
            h = self.norm(x, b["attn_norm"])
            q = self.turn(b["attn_q"] @ h, at).reshape(self.kv, -1, self.size)
            cache[0, at], cache[1, at] = self.turn(b["attn_k"] @ h, at), b["attn_v"] @ h
            k, v = (c[:at + 1].reshape(at + 1, self.kv, self.size).transpose(1, 0, 2) for c in cache)
            a = q @ k.transpose(0, 2, 1) / np.float32(self.size ** 0.5)
            a = np.exp(a - a.max(-1, keepdims=True))
            x = x + b["attn_output"] @ (a / a.sum(-1, keepdims=True) @ v).reshape(-1)
            h = self.norm(x, b["ffn_norm"])
            g = b["ffn_gate"] @ h
            x = x + b["ffn_down"] @ (g / (1 + np.exp(-g)) * (b["ffn_up"] @ h))
        return self.w["token_embd.weight"] @ self.norm(x, self.w["output_norm.weight"])

    def write(self, ids, count, choose):
        """Appends up to `count` tokens, stopping at the end-of-story token. -> the tokens, the logits they came from"""
        ids, out, seen = [data.BOS] + ids, [], []
        for at in range(min(self.context, len(ids) + count) - 1):
            logits = self.step(ids[at], at)
            if at >= len(ids) - 1:
                token = choose(logits)
                if token == data.EOS:
                    break
                ids.append(token)
                out.append(token)
                seen.append(logits)
        return out, seen


def greedy(logits):
    return int(np.argmax(logits))


def softmax(logits, temperature):
    z = (logits.astype(np.float64) - logits.max()) / temperature
    p = np.exp(z)
    return p / p.sum()


def sampler(rng, temperature, top_p=1.0):
    def choose(logits):
        p = softmax(logits, temperature)
        order = np.argsort(-p, kind="stable")
        keep = order[:int(np.searchsorted(np.cumsum(p[order]), top_p) + 1)] if top_p < 1 else order
        return int(rng.choices(list(keep), list(p[keep]))[0])
    return choose


def loop(tokens, times=3):
    """-> (where the repetition starts, its period) when the text ends repeating itself, at least `times` times."""
    n = len(tokens)
    for period in range(2, n // times + 1):
        same = 0
        while same < n - period and tokens[n - 1 - same] == tokens[n - 1 - same - period]:
            same += 1
        if same >= (times - 1) * period and same + period >= 24:
            return n - same - period, period
    return None


def margin(logits):
    a, b = np.partition(logits, -2)[-2:][::-1]
    return float(a - b)


def search(path, tokenizer, prompts, count=200):
    writer = Writer(path)
    found = []
    for prompt in prompts:
        ids = tokenizer.encode(prompt)
        out, seen = writer.write(ids, count, greedy)
        hit = loop(out) if len(out) == min(count, writer.context - len(ids) - 1) else None
        if not hit:
            continue
        start, period = hit
        entry = dict(prompt=prompt, promptTokens=ids, greedy=tokenizer.decode(out), greedyTokens=out,
                     loopStart=start, period=period, phrase=tokenizer.decode(out[start:start + period]),
                     repeats=round((len(out) - start) / period, 1),
                     smallestMargin=round(min(margin(l) for l in seen[:start + 2 * period]), 4))
        # of the tokens of the second turn: the likeliest other token in place of one that ends the loop, and the story
        best = None
        for at in range(start + period, start + 2 * period):
            p = softmax(seen[at], 0.8)
            for token in np.argsort(-p)[1:4]:
                if p[token] < 0.03 or int(token) in (data.EOS, data.UNK) or (best and p[token] <= best["probability"]):
                    continue
                rest, _ = writer.write(ids + out[:at] + [int(token)], count, greedy)
                full = out[:at] + [int(token)] + rest
                if loop(full[:at + 1 + count]) or len(rest) < 8 or len(rest) == count:
                    continue
                if tokenizer.decode(rest).count(entry["phrase"].strip()) > 0:
                    continue
                best = dict(position=at, instead=out[at], token=int(token), text=tokenizer.decode([int(token)]),
                            piece=tokenizer.id_to_piece(int(token)).replace("\u2581", " "),
                            temperature=0.8, probability=round(float(p[token]), 4),
                            continuation=tokenizer.decode(rest), continuationTokens=rest)
        entry["break"] = best
        found.append(entry)
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--gguf", default="storyteller.gguf")
    p.add_argument("--out", default=data.BUILD, help="folder that train.py prepared")
    p.add_argument("--json", help="file to write")
    p.add_argument("--stories", type=int, default=0, help="only print that many stories at --temperature")
    p.add_argument("--temperature", type=float, default=0.8)
    p.add_argument("--prompt", default="Once upon a time")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", type=int, default=6)
    a = p.parse_args()
    tokenizer = data.tokenizer(a.out)
    if a.stories:
        for i in range(a.stories):
            rng = random.Random(a.seed + i)
            out, _ = Writer(a.gguf).write(tokenizer.encode(a.prompt), 300, sampler(rng, a.temperature))
            print("--- %d (%d tokens)\n%s" % (i + 1, len(out), tokenizer.decode(tokenizer.encode(a.prompt) + out)))
        return
    found = search(a.gguf, tokenizer, PROMPTS)
    for f in found:
        b = f["break"]
        print("%-36r start %3d period %3d margin %.3f %r\n    %s" % (
            f["prompt"], f["loopStart"], f["period"], f["smallestMargin"], f["phrase"],
            "at %d %r p %.3f -> %r" % (b["position"], b["piece"], b["probability"], b["continuation"][:90]) if b else "-"))
    print(len(found), "of", len(PROMPTS), "prompts loop")
    if a.json:
        looping, found = len(found), [f for f in found if f["break"]]
        found.sort(key=lambda f: -f["smallestMargin"])
        prompt, rng = "Once upon a time, in a forest far away", random.Random(a.seed)
        out, _ = Writer(a.gguf).write(tokenizer.encode(prompt), 300, sampler(rng, 0.7, 0.9))
        story = dict(prompt=prompt, temperature=0.7, topP=0.9, seed=a.seed, text=tokenizer.decode(out), tokens=out)
        record = dict(model=os.path.basename(a.gguf), sha256=hashlib.sha256(open(a.gguf, "rb").read()).hexdigest(),
                      searched=len(PROMPTS), looping=looping, loops=found[:a.keep], story=story)
        text = json.dumps(record, ensure_ascii=False, indent=2)
        text = re.sub(r"\[\s+(\d[\d,\s]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text)
        with open(a.json, "w", encoding="utf-8") as f:
            f.write(text + "\n")


if __name__ == "__main__":
    main()
