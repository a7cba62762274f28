// Runs a fuzz target over the files of its corpus, without a fuzzer.
#ifndef REPLAY_H
#define REPLAY_H

#include <stddef.h>
#include <stdint.h>

// LLVMFuzzerTestOneInput of a file of tests/fuzz, which the Makefile calls by the name of the file.
typedef int fuzz_target(const uint8_t *data, size_t size);

// Prints the number of files in tests/fuzz/corpus/NAME. Returns 1 if there are none, else 0; a fault ends the program.
__attribute__((weak)) int replay_corpus(const char *name, fuzz_target *target);

#endif
