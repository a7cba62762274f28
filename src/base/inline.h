// LI_INLINE: for small functions that must be inlined even in code compiled for size.
#ifndef LI_INLINE_H
#define LI_INLINE_H

#define LI_INLINE static inline __attribute__((always_inline))

#endif
