#include "replay.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

// Reads a file into memory of exactly its size, so that the sanitizer sees every byte beyond; the caller frees it.
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit(1);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    if (fread(bytes, 1, *size, file) != *size) exit(1);
    fclose(file);
    return bytes;
}

int replay_corpus(const char *name, fuzz_target *target)
{
    char path[4096];
    snprintf(path, sizeof path, "tests/fuzz/corpus/%s", name);
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "tests/fuzz/corpus/%s/%s", name, entry->d_name);
        size_t size;
        uint8_t *bytes = read_file(path, &size);
        target(bytes, size);
        free(bytes);
        count++;
    }
    if (folder) closedir(folder);
    printf("ok %s: %d inputs replayed\n", name, count);
    return count == 0;
}
