// A vocabulary of one token for each byte, for tests of masks.
#ifndef BYTE_VOCABULARY_H
#define BYTE_VOCABULARY_H

#include "check.h"
#include "lastinch.h"

// The caller owns the vocabulary.
static li_vocabulary *bytes_alone(void)
{
    li_vocabulary *vocabulary = li_vocabulary_create(256, 256, 0);
    for (uint32_t byte = 0; byte < 256; byte++) {
        li_vocabulary_bytes(vocabulary)[byte] = (uint8_t)byte;
        li_vocabulary_ends(vocabulary)[byte] = byte + 1;
    }
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_OK);
    return vocabulary;
}

#endif
