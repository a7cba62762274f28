// Reading the table of schemas.
#ifndef LI_SCHEMA_READER_H
#define LI_SCHEMA_READER_H

#include "grammar/core/form_reader.h"

// Reads the table of schemas into grammar->schemas, merged and checked (schema_graph.h).
void li_schemas_read(li_reader *reader);

#endif
