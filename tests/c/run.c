// The program of all C tests: `c-tests` runs those that it was linked with, `c-tests --only NAME` one. Natively a fuzz
// target is a test too: it reads its corpus again.
#include "replay.h"
#include <stdio.h>
#include <string.h>

#define TEST(name) __attribute__((weak)) int name(void);
#define FUZZ(name) __attribute__((weak)) fuzz_target name;
#include "c-tests.h"
#undef TEST
#undef FUZZ

static const struct {
    const char *name;
    int (*run)(void);
    fuzz_target *fuzz;
} tests[] = {
#define TEST(name) {#name, name, NULL},
#define FUZZ(name) {#name, NULL, name},
#include "c-tests.h"
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // failures show even if a test ends the program
    const char *only = argc == 3 && strcmp(argv[1], "--only") == 0 ? argv[2] : NULL;
    if (argc != 1 && !only) {
        printf("usage: %s [--only NAME]\n", argv[0]);
        return 2;
    }
    int failed = 0, found = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if ((!tests[i].run && !tests[i].fuzz) || (only && strcmp(only, tests[i].name) != 0)) continue;
        found++;
        failed += (tests[i].run ? tests[i].run() : replay_corpus(tests[i].name, tests[i].fuzz)) != 0;
    }
    if (!found) printf("no test is called %s\n", only ? only : "anything");
    return failed || !found;
}
