#!/usr/bin/python3
"""Writes tokenizer.json: small SentencePiece vocabularies and what SentencePiece makes of texts with them.
Usage: make-tokenizer.py FOLDER > tokenizer.json; FOLDER holds alice_in_wonderland.txt and aesop4children.txt."""
import json
import os
import random
import sys
import tempfile

import sentencepiece

folder = sys.argv[1]
rng = random.Random(1)
lines = []
for name in ("alice_in_wonderland.txt", "aesop4children.txt"):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        lines += [line for line in f.read().split("\n") if line]

alphabet = "aab  the\t\n\r\u3000\u00a0éüß中文字日本語😀👩‍👩‍👧‍👦🏽\u0301\ufeff\u200d<s></s><unk><0x41>0123456789.,!?'\"-ﬁ𝒳\x00\x01\x7f한국어עברית"
words = [word for line in lines for word in line.split()]
texts = ["", " ", "  ", "   ", "a", " a", "a ", "aa", "aaa", "aaaa", "aaaaaaaaaaa", "\n", "\n\n\n", "\t\t", "\r\n",
         "<s>", "</s>", "<unk>", "<0x0A>", "<s>Once</s>", "<|user|>", "x<|user|>y", "<|user|><|user|> z", "\ufeffabc",
         "한국어", "日本語の文", "👩‍👩‍👧‍👦", "🏽", "e\u0301", "ﬁ", "𝒳", "\x00", "a\x00b", "trailing   ", "   leading", " " * 33,
         "tab\tand\nnewline", "1234567890", "ABC abc", "\u2581", "a\u2581b"]
texts += ["".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 30))) for _ in range(60)]
texts += [lines[rng.randrange(len(lines))] for _ in range(30)]
texts += ["".join(rng.choice(words) + rng.choice([" ", "  ", "", "\n", "\t"]) for _ in range(rng.randrange(1, 12)))
          for _ in range(30)]

with tempfile.TemporaryDirectory() as place:
    corpus = os.path.join(place, "corpus.txt")
    with open(corpus, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))

    def train(name, user=(), **options):
        prefix = os.path.join(place, name)
        sentencepiece.SentencePieceTrainer.train(
            input=corpus, model_prefix=prefix, model_type="bpe", normalization_rule_name="identity",
            remove_extra_whitespaces=False, unk_id=0, bos_id=1, eos_id=2, pad_id=-1, num_threads=1, minloglevel=2,
            user_defined_symbols=list(user), **options)
        model = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")

        def kind(i):
            if model.is_unknown(i):
                return 2
            if model.is_control(i):
                return 3
            if model.is_byte(i):
                return 6
            return 4 if model.id_to_piece(i) in user else 1

        size = model.get_piece_size()
        return dict(name=name, spacePrefix=options["add_dummy_prefix"],
                    pieces=[[model.id_to_piece(i), model.get_score(i), kind(i)] for i in range(size)],
                    ids=model.encode(texts))

    tokenizers = [
        train("plain", vocab_size=600, byte_fallback=True, add_dummy_prefix=False, split_digits=True),
        train("prefix and symbols", user=["<|user|>", "\u2581\u2581", "aa"], vocab_size=600, byte_fallback=True,
              add_dummy_prefix=True),
        train("pieces of several words", vocab_size=600, byte_fallback=True, add_dummy_prefix=True,
              split_by_whitespace=False, allow_whitespace_only_pieces=True),
        train("no bytes", vocab_size=200, byte_fallback=False, add_dummy_prefix=True),
    ]
    json.dump(dict(texts=texts, tokenizers=tokenizers), sys.stdout, ensure_ascii=True, separators=(",", ":"))
    print()
