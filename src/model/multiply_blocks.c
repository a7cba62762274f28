// Finds the products of a format.
#include "model/multiply_blocks.h"

#include "base/assert.h"

li_block_products li_block_products_of(const li_weight_format *format)
{
    const uint8_t way = (uint8_t)li_way_of(format);
    const li_products_row *row = format->columns == LI_BLOCK ? li_small_products : li_super_products;
    while (row->products.one && (row->digits != format->digits || row->scaling != format->scaling || row->way != way))
        row++;
    LI_ASSERT(row->products.one && row->products.four); // every known format has a row
    return row->products;
}
