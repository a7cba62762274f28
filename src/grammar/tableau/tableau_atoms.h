// Atoms as they come in.
#ifndef LI_TABLEAU_ATOMS_H
#define LI_TABLEAU_ATOMS_H

#include "grammar/tableau/tableau.h"

// False: it contradicts the others.
bool li_search_atom(li_search *search, li_atom atom);
bool li_search_need(li_search *search, uint32_t key);
bool li_search_needs(const li_search *search, uint32_t key);
// Whether the values of what is needed are, on a closer look, possible.
bool li_search_is_plausible(li_search *search);
// Whether it is about the property `key` alone.
bool li_atom_has_key(const li_atom *atom);
// What the atom asks of the value of a property, if it is there.
li_node li_atom_asks(const li_search *search, const li_atom *atom, uint32_t key);
bool li_remainder_has(const li_search *search, const li_atom *atom, uint32_t key);

#endif
