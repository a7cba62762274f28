// llama.cpp's token ids of texts: llama-tokenize VOCABULARY.gguf 0|1 < texts, where 1 parses the names of control
// tokens. A zero byte ends each text. Prints a line of ids for each. Compiled by make-tokenizer-groups.js.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llama.h"

static void quiet(enum ggml_log_level level, const char *text, void *context)
{
    (void)context;
    if (level >= GGML_LOG_LEVEL_ERROR) fputs(text, stderr);
}

int main(int count, char **arguments)
{
    if (count != 3) return 1;
    llama_log_set(quiet, NULL);
    struct llama_model_params how = llama_model_default_params();
    how.vocab_only = true;
    struct llama_model *model = llama_model_load_from_file(arguments[1], how);
    if (!model) return 2;
    const struct llama_vocab *vocabulary = llama_model_get_vocab(model);
    size_t room = 1 << 26;
    char *input = malloc(room);
    llama_token *ids = malloc(room * sizeof *ids);
    if (!input || !ids) return 3;
    size_t size = fread(input, 1, room, stdin);
    for (size_t begin = 0, end; begin < size; begin = end + 1) {
        end = begin + strlen(input + begin);
        int length =
            llama_tokenize(vocabulary, input + begin, (int)(end - begin), ids, (int)room, false, atoi(arguments[2]));
        for (int i = 0; i < length; i++) printf("%d ", ids[i]);
        puts("");
    }
    return 0;
}
