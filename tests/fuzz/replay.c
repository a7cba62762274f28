// Runs a fuzz target over the files of a folder, without a fuzzer: `replay FOLDER`.
#define _POSIX_C_SOURCE 200809L // for opendir
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) return 1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        size_t size;
        uint8_t *bytes = read_file(path, &size);
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
        count++;
    }
    closedir(folder);
    printf("ok %s: %d inputs replayed\n", argv[1], count);
    return count == 0;
}
