// Counts the dead ends among the states of a term.
#ifndef DEAD_ENDS_H
#define DEAD_ENDS_H

#include <string.h>

#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

enum { MOST_STATES = 1500, MOST_TERMS = 1 << 20, MOST_EDGES = 1 << 19 };

// Visits the states that can be reached, the nearest first. Counts the visited states from which no way leads to an end
// or to a state that was not visited.
static inline int count_dead_ends(li_grammar *grammar, li_term root)
{
    static uint32_t place[MOST_TERMS], edges[MOST_EDGES][2];
    static li_term states[MOST_EDGES];
    static bool lives[MOST_EDGES];
    uint32_t count = 0, edge_count = 0;
    states[count++] = root;
    place[root] = 1;
    for (uint32_t at = 0; at < count && at < MOST_STATES && edge_count < MOST_EDGES - 256; at++) {
        lives[at] = li_term_is_nullable(grammar, states[at]);
        li_term before = LI_TERM_NOTHING;
        for (int byte = 0; byte < 256; byte++) {
            li_term next = li_derive(grammar, states[at], (uint8_t)byte);
            if (next == LI_TERM_NOTHING || next == before || next >= MOST_TERMS) continue;
            before = next;
            if (!place[next]) {
                lives[count] = true; // until the state is visited
                states[count++] = next;
                place[next] = count;
            }
            edges[edge_count][0] = at;
            edges[edge_count++][1] = place[next] - 1;
        }
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t i = edge_count; i-- > 0;) {
            if (lives[edges[i][0]] || !lives[edges[i][1]]) continue;
            lives[edges[i][0]] = goes_on = true;
        }
    }
    int dead = 0;
    for (uint32_t at = 0; at < count; at++) {
        dead += !lives[at];
        place[states[at]] = 0;
    }
    return dead;
}

static inline bool reads(li_grammar *grammar, li_term term, const char *text)
{
    term = li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)strlen(text));
    return li_term_is_nullable(grammar, term);
}

#endif
