// The test framework: it counts checks. When one fails, it prints the check's place, values and case, and goes on.
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_count, check_failures;
static char check_case[240]; // of the CHECK_CASEs that are open

// A long sweep runs whole with CHECK_LONG (`make test-long`), and otherwise only in part, with the same seeds.
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

// CHECK_CASE("width %d", width) names the rest of its block, for the checks that fail there.
#define CHECK_CASE(...)                                                                                                \
    const size_t CHECK_JOIN(check_case_, __LINE__) __attribute__((unused, cleanup(check_case_end))) =                  \
        check_case_begin(__VA_ARGS__)
#define CHECK_JOIN(a, b)  CHECK_JOIN_(a, b)
#define CHECK_JOIN_(a, b) a##b

__attribute__((format(printf, 1, 2))) static inline size_t check_case_begin(const char *format, ...)
{
    const size_t length = strlen(check_case);
    if (length) strncat(check_case, ", ", sizeof check_case - 1 - length);
    const size_t from = strlen(check_case);
    va_list list;
    va_start(list, format);
    vsnprintf(check_case + from, sizeof check_case - from, format, list);
    va_end(list);
    return length;
}

static inline void check_case_end(const size_t *length)
{
    check_case[*length] = 0;
}

// ---- A check is one call with one string: with more in it, the tests would take half as long again to compile ----
#define CHECK_AT(what)  __FILE__ ":" CHECK_QUOTE(__LINE__) ": not so: " what "\n"
#define CHECK_QUOTE(x)  CHECK_QUOTE_(x)
#define CHECK_QUOTE_(x) #x
#define CHECK_FUNCTION  __attribute__((unused, noinline)) static

// `format` is that of the values.
__attribute__((format(printf, 2, 3))) CHECK_FUNCTION void check_failed(const char *what, const char *format, ...)
{
    if (++check_failures > 20) return;
    printf("%s", what);
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    if (*check_case) printf("    case: %s\n", check_case);
    fflush(stdout); // the failed condition may make the test crash
}

CHECK_FUNCTION void check_true(bool holds, const char *what)
{
    check_count++;
    if (!holds) check_failed(what, "%s", "");
}

#define CHECK(condition) check_true(condition, CHECK_AT(#condition))

// The values are compared as the widest type of the kind of `a`.
#define CHECK_EQ(a, b) CHECK_COMPARE(a)(a, '=', b, CHECK_AT(#a " == " #b))
#define CHECK_NE(a, b) CHECK_COMPARE(a)(a, '!', b, CHECK_AT(#a " != " #b))
#define CHECK_LT(a, b) CHECK_COMPARE(a)(a, '<', b, CHECK_AT(#a " < " #b))
#define CHECK_LE(a, b) CHECK_COMPARE(a)(a, 'l', b, CHECK_AT(#a " <= " #b))
#define CHECK_GT(a, b) CHECK_COMPARE(a)(a, '>', b, CHECK_AT(#a " > " #b))
#define CHECK_GE(a, b) CHECK_COMPARE(a)(a, 'g', b, CHECK_AT(#a " >= " #b))

// clang-format off
// With zero added a short integer is an int, and a pointer stays one.
#define CHECK_COMPARE(a) _Generic((a) + 0, \
    int: check_signed, long: check_signed, long long: check_signed, \
    unsigned: check_unsigned, unsigned long: check_unsigned, unsigned long long: check_unsigned, \
    float: check_real, double: check_real, default: check_pointer)
#define CHECK_ELEMENT(a) _Generic((a), \
    float *: 'f', const float *: 'f', uint32_t *: 'u', const uint32_t *: 'u', default: 0)
#define CHECK_HOLDS \
    (operator == '=' ? a == b : operator == '!' ? a != b : operator == '<' ? a < b : operator == 'l' ? a <= b \
    : operator == '>' ? a > b : a >= b)
// clang-format on

CHECK_FUNCTION void check_signed(long long a, char operator, long long b, const char *what)
{
    check_count++;
    if (!CHECK_HOLDS) check_failed(what, "    values: %lld and %lld\n", a, b);
}

CHECK_FUNCTION void check_unsigned(unsigned long long a, char operator, unsigned long long b, const char *what)
{
    check_count++;
    if (!CHECK_HOLDS) check_failed(what, "    values: %llu and %llu, %#llx and %#llx\n", a, b, a, b);
}

CHECK_FUNCTION void check_real(double a, char operator, double b, const char *what)
{
    check_count++;
    if (!CHECK_HOLDS) check_failed(what, "    values: %.17g and %.17g\n", a, b);
}

CHECK_FUNCTION void check_pointer(const void *a, char operator, const void * b, const char *what)
{
    check_count++;
    if (!CHECK_HOLDS) check_failed(what, "    values: %p and %p\n", a, b);
}

// The numbers are at most `tolerance` apart.
#define CHECK_NEAR(a, b, tolerance) check_near(a, b, tolerance, CHECK_AT(#a " and " #b " are within " #tolerance))

CHECK_FUNCTION void check_near(double a, double b, double tolerance, const char *what)
{
    check_count++;
    if (!(fabs(a - b) <= tolerance))
        check_failed(what, "    values: %.17g and %.17g, %g apart where %g is allowed\n", a, b, fabs(a - b), tolerance);
}

#define CHECK_TEXT(a, b) check_text(a, b, CHECK_AT(#a " reads " #b))

CHECK_FUNCTION void check_text(const char *a, const char *b, const char *what)
{
    check_count++;
    if (strcmp(a, b) != 0) check_failed(what, "    values: \"%s\" and \"%s\"\n", a, b);
}

// The first elements that differ are printed as numbers in arrays of float and uint32_t, in others as bytes.
#define CHECK_BYTES(a, b, size) check_bytes(a, b, size, CHECK_ELEMENT(a), CHECK_AT(#a " has the bytes of " #b))

CHECK_FUNCTION void check_bytes(const void *a, const void *b, size_t size, char element, const char *what)
{
    check_count++;
    if (memcmp(a, b, size) == 0) return;
    const uint8_t *left = a, *right = b;
    size_t at = 0;
    while (left[at] == right[at]) at++;
    const size_t i = at / 4;
    if (element == 'f')
        check_failed(what, "    values: [%zu] %.9g and %.9g\n", i, (double)((const float *)a)[i],
                     (double)((const float *)b)[i]);
    else if (element == 'u')
        check_failed(what, "    values: [%zu] %u and %u\n", i, ((const uint32_t *)a)[i], ((const uint32_t *)b)[i]);
    else
        check_failed(what, "    values: [%zu] %02x and %02x\n", at, left[at], right[at]);
}

static inline int check_done(const char *name)
{
    if (check_failures)
        printf("FAILED %s: %d of %d checks\n", name, check_failures, check_count);
    else
        printf("ok %s: %d checks\n", name, check_count);
    return check_failures != 0;
}

#endif
