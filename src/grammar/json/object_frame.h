// A frame: how far an object has been read. The terms of objects and keys hold frames as words.
#ifndef LI_OBJECT_FRAME_H
#define LI_OBJECT_FRAME_H

#include "grammar/nodes/shape.h"

// Facts about a shape that stay the same while an object is read.
typedef struct li_object_table {
    const li_object_shape *shape;
    bool *usable;             // known keys whose value exists
    uint32_t *order;          // known keys by bytes
    uint32_t *required_after; // the number of required keys from an index on
    uint32_t *usable_after;   // likewise of usable keys
    uint32_t *next_required;  // the first required key from an index on; known_count: none
    uint32_t *set;            // room for the words of a set of known keys, or of obligations
    uint32_t set_length;
    bool has_classes; // whose values exist
} li_object_table;

typedef struct li_object_frame {
    const li_object_shape *shape;
    const li_object_table *table; // NULL: while satisfiable nodes are searched for
    uint32_t level;
    bool has_items;
    union {
        uint32_t next_known; // schema order: the first known key that may still come
        li_term known_read;  // any order: the set of the known keys read; NOTHING: empty
    };
    uint32_t needed;   // the least number of further properties; 0: the required keys are enough
    uint32_t room;     // the greatest number of further properties; LI_NO_LIMIT: no limit can be reached
    li_term fulfilled; // the set of fulfilled obligations
    li_term seen;      // keys of classes that may not come again, as a choice
    // Not in terms:
    uint32_t required_left, usable_left; // known keys
    uint32_t taken;                      // a property that is being read: as in witnesses; LI_NO_LIMIT: none
} li_object_frame;

enum { LI_OBJECT_WORDS = 7, LI_RECORDED_KEY_WORDS = LI_OBJECT_WORDS + 3 };

// The table of a shape, made on first use. NULL: no memory, and the grammar has failed.
const li_object_table *li_object_table_of(li_grammar *grammar, const li_object_shape *shape);

// False: the grammar has failed.
bool li_object_load(li_grammar *grammar, const uint32_t words[LI_OBJECT_WORDS], li_object_frame *frame);
void li_object_store(const li_object_frame *frame, uint32_t words[LI_OBJECT_WORDS]);

// Whether enough properties can come if `lost` known keys do not come.
bool li_object_has_enough(li_grammar *grammar, const li_object_frame *frame, uint32_t lost);
bool li_object_set_has(const li_grammar *grammar, li_term set, uint32_t bit);
bool li_object_is_left(const li_grammar *grammar, const li_object_frame *frame, uint32_t known);
// Whether a class has `count` keys left.
bool li_object_supplies(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index, uint32_t count);

// Whether the value of a known key exists.
bool li_object_is_usable(li_grammar *grammar, const li_object_frame *frame, uint32_t known);
// The set with a member added.
li_term li_object_set_with(li_grammar *grammar, const li_object_frame *frame, li_term set, uint32_t bit);
// In any order: known_read with a known key added.
li_term li_object_read_with(li_grammar *grammar, const li_object_frame *frame, uint32_t known);
// Gives equal forms to frames with equal continuations.
void li_object_simplify(li_object_frame *frame);
// The keys that a class has left.
li_term li_object_class_keys(li_grammar *grammar, const li_object_frame *frame, uint32_t class_index);
// Fulfils the obligations that the absence of the known keys from `first` to before `last` fulfils.
void li_object_pass_over(li_grammar *grammar, li_object_frame *next, uint32_t first, uint32_t last);

#endif
