// Sets of strings: lists, complements of lists, languages.
#include "grammar/schema/string_set.h"

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/string_list.h"

static li_string_set *make(li_grammar *grammar, li_string_set_kind kind, uint32_t room)
{
    li_string_set *set = li_grammar_alloc(grammar, sizeof *set + (size_t)room * sizeof(uint32_t));
    if (!set || !li_grammar_spend(grammar)) return NULL;
    *set = (li_string_set){.kind = kind, .texts = (const uint32_t *)(const void *)(set + 1)};
    return set;
}

// The list of a new set.
static uint32_t *list_of(li_string_set *set)
{
    return (uint32_t *)(void *)(set + 1);
}

li_string_set *li_string_set_all(li_grammar *grammar, bool is_all)
{
    return make(grammar, is_all ? LI_STRINGS_UNLISTED : LI_STRINGS_LISTED, 0);
}

static uint32_t code_points(const li_text *text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < text->length; i++) count += (text->bytes[i] & 0xc0) != 0x80;
    return count;
}

bool li_string_set_has(li_grammar *grammar, li_string_set *set, uint32_t text)
{
    LI_ASSERT(text < grammar->schemas->texts.count);
    if (!set) return false;
    if (set->kind == LI_STRINGS_LANGUAGE) {
        uint32_t length = code_points(&grammar->schemas->texts.at[text]);
        return length >= set->least && length <= set->most &&
               (set->language == li_any_text(grammar) || li_text_matches(grammar, set->language, text));
    }
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->texts[middle] < text)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_listed = low < set->count && set->texts[low] == text;
    return is_listed == (set->kind == LI_STRINGS_LISTED);
}

// The strings of a list that the other set contains, or lacks.
static li_string_set *filter(li_grammar *grammar, li_string_set *list, li_string_set *other, bool is_in,
                             li_string_set_kind kind)
{
    LI_ASSERT(list->kind != LI_STRINGS_LANGUAGE && kind != LI_STRINGS_LANGUAGE);
    li_string_set *set = make(grammar, kind, list->count);
    if (!set) return NULL;
    for (uint32_t i = 0; i < list->count; i++)
        if (li_string_set_has(grammar, other, list->texts[i]) == is_in) list_of(set)[set->count++] = list->texts[i];
    return grammar->status == LI_OK ? set : NULL;
}

static li_string_set *merge(li_grammar *grammar, li_string_set *a, li_string_set *b)
{
    LI_ASSERT(a->kind == b->kind && a->kind != LI_STRINGS_LANGUAGE);
    li_string_set *set = make(grammar, a->kind, a->count + b->count);
    if (!set) return NULL;
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        uint32_t next = j == b->count || (i < a->count && a->texts[i] <= b->texts[j]) ? a->texts[i] : b->texts[j];
        i += i < a->count && a->texts[i] == next;
        j += j < b->count && b->texts[j] == next;
        list_of(set)[set->count++] = next;
    }
    return set;
}

static li_term list_term(li_grammar *grammar, li_string_set *set)
{
    li_string *strings = li_grammar_alloc(grammar, ((size_t)set->count + 1) * sizeof *strings);
    if (!strings) return LI_TERM_NOTHING;
    for (uint32_t i = 0; i < set->count; i++) {
        const li_text *text = &grammar->schemas->texts.at[set->texts[i]];
        strings[i] = (li_string){.bytes = text->bytes, .length = text->length};
    }
    return li_strings(grammar, strings, set->count);
}

static li_term all_but(li_grammar *grammar, li_string_set *set)
{
    LI_ASSERT(set->kind == LI_STRINGS_UNLISTED);
    li_term any = li_any_text(grammar);
    if (set->count == 0) return any;
    return li_both(grammar, any, li_not(grammar, list_term(grammar, set)));
}

static li_term make_term(li_grammar *grammar, li_string_set *set)
{
    if (set->kind == LI_STRINGS_LISTED) return list_term(grammar, set);
    if (set->kind == LI_STRINGS_UNLISTED) return all_but(grammar, set);
    if (set->least == 0 && set->most == LI_NO_LIMIT) return set->language;
    if (set->least > set->most) return LI_TERM_NOTHING;
    li_term any = li_class(grammar, (uint32_t[]){0, 0x10ffff}, 1);
    li_term sized = li_repeat(grammar, any, set->least, set->most);
    return set->language == li_any_text(grammar) ? sized : li_both(grammar, set->language, sized);
}

li_term li_string_set_term(li_grammar *grammar, li_string_set *set)
{
    if (!set) return LI_TERM_NOTHING;
    if (set->has_term) return set->term;
    set->term = make_term(grammar, set);
    set->has_term = grammar->status == LI_OK;
    return set->term;
}

bool li_string_set_is_empty(li_grammar *grammar, li_string_set *set)
{
    if (!set) return true;
    if (set->kind == LI_STRINGS_LISTED) return set->count == 0;
    if (set->kind == LI_STRINGS_UNLISTED) return false;
    return li_string_set_term(grammar, set) == LI_TERM_NOTHING;
}

static li_string_set *language(li_grammar *grammar, li_term term, uint32_t least, uint32_t most)
{
    li_string_set *set = make(grammar, term == LI_TERM_NOTHING ? LI_STRINGS_LISTED : LI_STRINGS_LANGUAGE, 0);
    if (!set) return NULL;
    set->language = term;
    set->least = least;
    set->most = most;
    return set;
}

li_string_set *li_string_set_both(li_grammar *grammar, li_string_set *a, li_string_set *b)
{
    if (!a || !b) return NULL;
    if (b->kind == LI_STRINGS_LISTED && (a->kind != LI_STRINGS_LISTED || b->count < a->count)) {
        li_string_set *swapped = a;
        a = b;
        b = swapped;
    }
    if (a->kind == LI_STRINGS_LISTED) return filter(grammar, a, b, true, LI_STRINGS_LISTED);
    if (a->kind == LI_STRINGS_UNLISTED && a->count == 0) return b;
    if (b->kind == LI_STRINGS_UNLISTED && b->count == 0) return a;
    if (a->kind == LI_STRINGS_UNLISTED && b->kind == LI_STRINGS_UNLISTED) return merge(grammar, a, b);
    if (a->kind == LI_STRINGS_LANGUAGE && b->kind == LI_STRINGS_UNLISTED) {
        li_string_set *swapped = a;
        a = b;
        b = swapped;
    }
    if (a->kind == LI_STRINGS_UNLISTED) {
        li_string_set *missing = filter(grammar, a, b, true, LI_STRINGS_UNLISTED);
        if (!missing || missing->count == 0) return missing ? b : NULL;
        return language(grammar, li_both(grammar, b->language, all_but(grammar, missing)), b->least, b->most);
    }
    li_term any = li_any_text(grammar), term;
    if (a->language == any)
        term = b->language;
    else
        term = b->language == any ? a->language : li_both(grammar, a->language, b->language);
    return language(grammar, term, a->least > b->least ? a->least : b->least, a->most < b->most ? a->most : b->most);
}

li_string_set *li_string_set_either(li_grammar *grammar, li_string_set *a, li_string_set *b)
{
    if (!a || !b) return NULL;
    if (a->kind == LI_STRINGS_LISTED && a->count == 0) return b;
    if (b->kind == LI_STRINGS_LISTED && b->count == 0) return a;
    if (a->kind == LI_STRINGS_LISTED && b->kind == LI_STRINGS_LISTED) return merge(grammar, a, b);
    if (b->kind == LI_STRINGS_UNLISTED) {
        li_string_set *swapped = a;
        a = b;
        b = swapped;
    }
    if (a->kind == LI_STRINGS_UNLISTED) return filter(grammar, a, b, false, LI_STRINGS_UNLISTED);
    if (a->kind == LI_STRINGS_LANGUAGE && b->kind == LI_STRINGS_LANGUAGE && a->least == b->least &&
        a->most == b->most && a->language == b->language)
        return a;
    li_term term = li_either(grammar, li_string_set_term(grammar, a), li_string_set_term(grammar, b));
    return language(grammar, term, 0, LI_NO_LIMIT);
}
