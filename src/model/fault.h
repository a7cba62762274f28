// Records why a file's header is refused. The public record: li_fault in lastinch.h.
#ifndef LI_FAULT_H
#define LI_FAULT_H

#include <stddef.h>

#include "model/gguf.h"

// Begins a record without name and numbers, which the caller adds.
li_fault *li_fault_begin(li_gguf *gguf, li_fault_kind kind);
// The same with the name of a tensor.
li_fault *li_fault_begin_tensor(li_gguf *gguf, li_fault_kind kind, const li_gguf_tensor *tensor);
// Appends text (length), or the digits of a number, to the name. What does not fit is dropped.
void li_fault_add_text(li_gguf *gguf, const void *text, size_t length);
void li_fault_add_number(li_gguf *gguf, uint32_t number);

#endif
