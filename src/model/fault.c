#include "model/fault.h"

#include <string.h>

#include "base/assert.h"
#include "model/gguf.h"

li_fault *li_fault_begin(li_gguf *gguf, li_fault_kind kind)
{
    gguf->fault = (li_fault){.kind = kind, .name = gguf->fault_name};
    return &gguf->fault;
}

void li_fault_add_text(li_gguf *gguf, const void *text, size_t length)
{
    LI_ASSERT(gguf->fault.kind != LI_FAULT_NONE);
    LI_ASSERT(gguf->fault.name_length <= sizeof gguf->fault_name);
    size_t room = sizeof gguf->fault_name - gguf->fault.name_length;
    if (length > room) length = room;
    memcpy(gguf->fault_name + gguf->fault.name_length, text, length);
    gguf->fault.name_length += (uint32_t)length;
}

li_fault *li_fault_begin_tensor(li_gguf *gguf, li_fault_kind kind, const li_gguf_tensor *tensor)
{
    li_fault *fault = li_fault_begin(gguf, kind);
    li_fault_add_text(gguf, gguf->bytes + tensor->name.offset, tensor->name.length);
    return fault;
}

void li_fault_add_number(li_gguf *gguf, uint32_t number)
{
    char digits[10];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    li_fault_add_text(gguf, digits + first, sizeof digits - first);
}

const li_fault *li_gguf_fault(const li_gguf *gguf)
{
    return &gguf->fault;
}
