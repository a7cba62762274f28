// SHA-256 against the examples of FIPS 180-4 and NIST, in pieces of every length.
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "lastinch.h"

static void check_digest(const char *text, uint32_t length, uint32_t piece, const char *digits)
{
    li_sha256 *hash = li_sha256_create();
    CHECK(hash);
    for (uint32_t at = 0; at < length; at += piece)
        li_sha256_update(hash, (const uint8_t *)text + at, piece < length - at ? piece : length - at);
    const uint8_t *digest = li_sha256_finish(hash);
    for (int i = 0; i < 64; i++) CHECK_EQ("0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15], digits[i]);
    li_memory_free(hash);
}

static void test_the_digests_are_those_of_the_standard(void)
{
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (uint32_t piece = 1; piece < 70; piece++) {
        check_digest("", 0, piece, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check_digest("abc", 3, piece, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check_digest(two, 56, piece, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
    static char million[1000000];
    memset(million, 'a', sizeof million);
    for (uint32_t piece = 997; piece < 1000000; piece *= 31)
        check_digest(million, 1000000, piece, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    test_the_digests_are_those_of_the_standard();
    return check_done("sha256");
}
