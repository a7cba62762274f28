// The test framework: CHECK counts conditions, reports failures with their place, and continues.
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int check_count, check_failures;

// A long sweep runs whole with CHECK_LONG (`make test-long`), and otherwise a part of it with the same seeds.
#ifdef CHECK_LONG
enum { CHECK_IS_LONG = 1 };
#else
enum { CHECK_IS_LONG = 0 };
#endif

static inline int check_rounds(int all)
{
    return CHECK_IS_LONG ? all : (all + 2) / 3;
}

// A number from the environment: `CHECK_FIRST=17 CHECK_COUNT=1` runs one seed of a sweep.
static inline int check_number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static inline void check_report(bool holds, const char *what, const char *file, int line)
{
    check_count++;
    if (holds) return;
#ifdef CHECK_STOPS // for mutants: one failure is enough
    exit(1);
#endif
    if (++check_failures <= 20) printf("%s:%d: not so: %s\n", file, line, what);
}

#define CHECK(condition) check_report((condition), #condition, __FILE__, __LINE__)

static inline int check_done(const char *name)
{
    if (check_failures)
        printf("FAILED %s: %d of %d checks\n", name, check_failures, check_count);
    else
        printf("ok %s: %d checks\n", name, check_count);
    return check_failures != 0;
}

#endif
