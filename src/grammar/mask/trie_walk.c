// The walk, by states or by terms.
#include "grammar/mask/trie_walk.h"

#include "base/memory.h"
#include "grammar/json/forget.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/proposal.h"

void li_walker_mark(li_walker *walker, uint32_t node, uint32_t marks)
{
    if (walker->marked_count == walker->marked_room) {
        uint32_t room = walker->marked_room ? 2 * walker->marked_room : 64;
        size_t size = sizeof *walker->marked;
        li_marked *grown = li_memory_resize(walker->marked, walker->marked_room * size, room * size);
        if (!grown) {
            li_grammar_fail(walker->grammar, LI_ERROR_OUT_OF_MEMORY);
            return;
        }
        walker->marked = grown;
        walker->marked_room = room;
    }
    walker->marked[walker->marked_count++] = (li_marked){node, marks};
}

// As li_walk, by terms.
static void walk_terms(li_walker *walker, const li_vocabulary *vocabulary, li_term from, uint32_t node, li_found *found)
{
    li_grammar *grammar = walker->grammar;
    const li_trie_node *nodes = vocabulary->nodes;
    uint32_t at = node + 1, end = node + (nodes[node].byte_and_size >> 8), depth = 0;
    walker->terms_above[0] = from;
    walker->ends[0] = end;
    while (at < end && grammar->status == LI_OK) {
        while (at == walker->ends[depth]) depth--;
        uint32_t here = nodes[at].byte_and_size, size = here >> 8;
        li_term next = li_proposed(grammar, li_derive(grammar, walker->terms_above[depth], (uint8_t)here));
        next = li_forget(grammar, next, false);
        uint32_t marks = size > 1 ? li_marks_of(grammar, next) : 0;
        if (marks) li_walker_mark(walker, at, marks);
        if (next == LI_TERM_NOTHING) {
            at += size;
            continue;
        }
        li_found_add_nodes(found, vocabulary, at, at + 1);
        walker->terms_above[++depth] = next;
        walker->ends[depth] = at + size;
        at++;
    }
}

void li_walk(li_walker *walker, const li_vocabulary *vocabulary, li_state from, uint32_t node, li_found *found)
{
    const li_trie_node *nodes = vocabulary->nodes;
    if (li_is_long_list(walker->grammar, walker->terms[from])) {
        walk_terms(walker, vocabulary, walker->terms[from], node, found);
        return;
    }
    uint32_t at = node + 1, end = node + (nodes[node].byte_and_size >> 8), depth = 0;
    if (walker->marks[from] && at < end) li_walker_mark(walker, node, walker->marks[from]);
    walker->above[0] = walker->rows[from];
    walker->ends[0] = end;
    while (at < end) {
        while (at == walker->ends[depth]) depth--;
        uint32_t here = nodes[at].byte_and_size, size = here >> 8;
        li_state next = li_state_next(walker, walker->above[depth], (uint8_t)here);
        if (next == LI_STATE_DEAD) {
            if (walker->grammar->status != LI_OK) return;
            at += size;
            continue;
        }
        bool is_whole =
            size > 1 && (size >= LI_LARGE || walker->notes[next] & LI_NOTE_LOOPS) &&
            li_loops_take(walker, vocabulary, next, li_state_loops(walker, next, size) & LI_ASCII_CLASSES, at);
        li_found_add_nodes(found, vocabulary, at, is_whole ? at + size : at + 1);
        if (is_whole) {
            at += size;
            continue;
        }
        if (size > 1) {
            if (walker->marks[next]) li_walker_mark(walker, at, walker->marks[next]);
            walker->above[++depth] = walker->rows[next];
            walker->ends[depth] = at + size;
        }
        at++;
    }
}
