// Vocabularies with their string tokens. Without a header: lastinch.h declares the functions. They are not in
// vocabulary.c, because string_tokens.c makes and scans vocabularies itself.
#include "base/assert.h"
#include "grammar/mask/string_tokens.h"

li_status li_vocabulary_prepare(li_vocabulary *vocabulary)
{
    li_status status = li_vocabulary_arrange(vocabulary);
    if (status == LI_OK) li_string_tokens_prepare(vocabulary);
    return status;
}

void li_vocabulary_destroy(li_vocabulary *vocabulary)
{
    if (!vocabulary) return;
    LI_ASSERT(vocabulary->users);
    if (--vocabulary->users) return;
    li_string_tokens_destroy(vocabulary->inside);
    li_vocabulary_free(vocabulary);
}
