"""Text for the models: read, split, clean, tokenise."""
import os
import re

import numpy as np
import sentencepiece as spm

SEPARATOR = "<|endoftext|>"
TINY = ["tinystories_5m.txt", "tinystories_propercase_3m.txt"]
OTHER = ["aesop4children.txt", "grimms_fairy_tales.txt", "wonderful_wizard_of_oz.txt", "alice_in_wonderland.txt"]
PLAYS = "tinyshakespeare.txt"
UNK, BOS, EOS = 0, 1, 2
NEWLINE = 3                                                # the first of the plays' characters in order
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "model")


def fnv1a(data):
    h = 0x811C9DC5
    for byte in data:
        h = ((h ^ byte) * 0x01000193) & 0xFFFFFFFF
    return h


def stories(path):
    """The pieces between separators, surrounding white space stripped, empty ones left out."""
    with open(path, encoding="utf-8", newline="") as f:
        return [s for s in (p.strip() for p in f.read().split(SEPARATOR)) if s]


def plain(text):
    """Letters and digits only, case folded: two stories that agree in this are the same story."""
    return re.sub(r"[\W_]+", "", text.casefold())


def passages(path, size=900):
    """A book as pieces of about `size` characters, cut between paragraphs; lines joined, headings dropped."""
    text = open(path, encoding="utf-8").read().replace("\r", "")
    out, piece = [], ""
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = " ".join(paragraph.split())
        if not re.search(r"[a-z]{3}", paragraph) or len(paragraph) < 40:
            continue                                       # a heading, a number, a line of contents
        for a, b in ("“\"", "”\"", "‘'", "’'"):
            paragraph = paragraph.replace(a, b)
        piece = piece + "\n" + paragraph if piece else paragraph
        if len(piece) >= size:
            out.append(piece)
            piece = ""
    return out + ([piece] if piece else [])


def split(folder):
    """-> held out stories, training stories, training passages of other books, and what was removed."""
    everything = stories(os.path.join(folder, TINY[0]))
    held = [s for s in everything if fnv1a(s.encode()) % 28 == 0]
    held = list(dict.fromkeys(held))
    exact, folded = set(held), {plain(s) for s in held}
    count = dict(read=0, held_exact=0, held_folded=0, duplicate=0)
    train, seen = [], set()
    for name in TINY:
        for s in stories(os.path.join(folder, name)):
            count["read"] += 1
            key = plain(s)
            if s in exact:
                count["held_exact"] += 1
            elif key in folded:
                count["held_folded"] += 1
            elif key in seen:
                count["duplicate"] += 1
            else:
                seen.add(key)
                train.append(s)
    other = []
    for name in OTHER:
        path = os.path.join(folder, name)
        if name.startswith("aesop"):
            other += [s for s in stories(path) if plain(s) not in folded]
        else:
            other += passages(path)
    count.update(train=len(train), other=len(other), held=len(held))
    return held, train, other, count


def train_tokenizer(texts, prefix, size):
    """SentencePiece BPE on paragraphs: no normalisation, no space put in front, bytes for what is rare."""
    lines = prefix + ".lines"
    with open(lines, "w", encoding="utf-8") as f:
        for t in texts:
            f.write(t + "\n")
    spm.SentencePieceTrainer.train(
        input=lines, model_prefix=prefix, model_type="bpe", vocab_size=size, byte_fallback=True,
        character_coverage=0.9999, normalization_rule_name="identity", remove_extra_whitespaces=False,
        add_dummy_prefix=False, split_digits=True, unk_id=UNK, bos_id=BOS, eos_id=EOS, pad_id=-1,
        num_threads=1, input_sentence_size=0, minloglevel=2)
    os.remove(lines)


class Characters:
    """A tokenizer of single characters, with the methods of SentencePieceProcessor that are called here."""
    SPECIAL = ["<unk>", "<s>", "</s>"]

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as f:
            self.alphabet = f.read()
        self.pieces = self.SPECIAL + [c.replace(" ", "\u2581") for c in self.alphabet]
        self.ids = {c: len(self.SPECIAL) + i for i, c in enumerate(self.alphabet)}

    def vocab_size(self):
        return len(self.pieces)

    def id_to_piece(self, i):
        return self.pieces[i]

    def get_score(self, i):
        return 0.0

    def is_unknown(self, i):
        return i == UNK

    def is_control(self, i):
        return i in (BOS, EOS)

    def is_byte(self, i):
        return False

    def encode(self, text):
        return [self.ids.get(c, UNK) for c in text]

    def decode(self, ids):
        return "".join(self.alphabet[i - len(self.SPECIAL)] for i in ids if i >= len(self.SPECIAL))


def tokenizer(out):
    """The one that `prepare` left in the folder."""
    characters, pieces = (os.path.join(out, name) for name in ("characters.txt", "tokenizer.model"))
    if not os.path.exists(characters):
        return spm.SentencePieceProcessor(model_file=pieces)
    assert not os.path.exists(pieces), "the stories need one --out folder, the plays another"
    return Characters(characters)


def prepare(folder, out, vocab):
    """The stories, and a vocabulary of that size."""
    os.makedirs(out, exist_ok=True)
    held, train, other, count = split(folder)
    train_tokenizer(train, os.path.join(out, "tokenizer"), vocab)
    return pack(out, held, train, other, count)


def prepare_characters(folder, out):
    """The plays, two long texts (the last tenth is held out), and their characters as vocabulary."""
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(folder, PLAYS), encoding="utf-8", newline="") as f:
        text = f.read()
    with open(os.path.join(out, "characters.txt"), "w", encoding="utf-8", newline="") as f:
        f.write("".join(sorted(set(text))))
    cut = int(len(text) * 0.9)
    return pack(out, [text[cut:]], [text[:cut]], [], dict(read=len(text)))


def pack(out, held, train, other, count):
    tokens = tokenizer(out)
    for t in held + train[:500]:
        assert tokens.decode(tokens.encode(t)) == t, "the tokenizer must give the text back unchanged"
    packed = {}
    for name, texts in dict(held=held, train=train, other=other).items():
        ids = [[BOS] + tokens.encode(t) + [EOS] for t in texts]
        packed[name] = np.array([i for row in ids for i in row], np.int16)
        packed[name + "_len"] = np.array([len(row) for row in ids], np.int32)
        packed[name + "_bytes"] = np.array([len(t.encode()) for t in texts], np.int32)
        count[name + "_tokens"], count[name + "_bytes"] = len(packed[name]), int(packed[name + "_bytes"].sum())
    np.savez(os.path.join(out, "tokens.npz"), **packed)
    return count


def load(out, name):
    """-> rows of token ids (BOS first, EOS last), bytes of each text"""
    z = np.load(os.path.join(out, "tokens.npz"))
    ends = np.cumsum(z[name + "_len"])
    return [r.astype(np.int64) for r in np.split(z[name], ends)[:-1]], z[name + "_bytes"]


def batches(rows, tokens, rng, context):
    """Batches of stories of about the same length, padded with -1, in random order: one epoch.
    Each row is one story from its BOS, so a token sees exactly what it sees when a page writes a story.
    Of a text in one row: see `stretches`."""
    if len(rows) == 1:
        yield from stretches(rows[0], tokens, rng, context)
        return
    order = sorted(range(len(rows)), key=lambda i: min(len(rows[i]), context + 1) * rng.uniform(0.92, 1.08))
    group, groups, longest = [], [], 0
    for i in order:
        n = -(-min(len(rows[i]) - 1, context) // 16) * 16
        if group and max(longest, n) * (len(group) + 1) > tokens:
            groups.append((group, longest))
            group, longest = [], 0
        group.append(i)
        longest = max(longest, n)
    groups.append((group, longest))
    rng.shuffle(groups)
    for group, longest in groups:
        x = np.full((len(group), longest + 1), -1, np.int64)
        for r, i in enumerate(group):
            row = rows[i]
            if len(row) > context + 1:                     # too long: mostly its beginning, now and then its end
                start = 0 if rng.random() < 0.6 else rng.randrange(len(row) - context)
                row = row[start:start + context + 1]
            x[r, :len(row)] = row
        yield x[:, :-1], x[:, 1:]


def stretches(row, tokens, rng, context):
    """Batches of stretches from anywhere in a long text, as many tokens as it has. Every other stretch begins where a
    paragraph does and has BOS in front, and now and then an <unk> is read in place of a character: so both mean
    something when a page begins a text or a reader types what the vocabulary lacks."""
    text = row[1:-1]
    paragraphs = np.flatnonzero((text[:-1] == NEWLINE) & (text[1:] == NEWLINE)) + 2
    paragraphs = paragraphs[paragraphs < len(text) - context]
    draw = np.random.default_rng(rng.getrandbits(32))
    for _ in range(len(text) // tokens):
        starts = draw.integers(0, len(text) - context, tokens // context)
        starts[::2] = draw.choice(paragraphs, len(starts[::2]))
        rows = np.stack([text[s:s + context + 1] for s in starts])
        rows[::2] = np.insert(rows[::2, :-1], 0, BOS, axis=1)
        x = rows[:, :-1].copy()
        x[draw.random(x.shape) < 0.002] = UNK
        yield x, rows[:, 1:]
