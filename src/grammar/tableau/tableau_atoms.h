// Adding atoms, with a check against the atoms before.
#ifndef LI_TABLEAU_ATOMS_H
#define LI_TABLEAU_ATOMS_H

#include "grammar/tableau/tableau.h"

// Adds an atom, or requires the property `key`. False: a contradiction.
bool li_tableau_atom(li_tableau *search, li_atom atom);
bool li_tableau_need(li_tableau *search, uint32_t key);
bool li_tableau_needs(const li_tableau *search, uint32_t key);
// Whether the needed properties can have values, as a closer look shows.
bool li_tableau_is_plausible(li_tableau *search);
// Whether the atom constrains only the property `key`.
bool li_atom_has_key(const li_atom *atom);
// The node that the value of a property must satisfy by this atom, if the property is there.
li_node li_atom_asks(const li_tableau *search, const li_atom *atom, uint32_t key);

#endif
