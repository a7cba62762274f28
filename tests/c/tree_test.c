// Trees of rows: branches that share the positions before them with rows of the same call give the logits of each path
// alone, one row at a time, bit for bit. `make test-c` runs this test with threads too.
#include "helper_threads.h"
#include "model/model.h"
#include "tiny_model.h"

enum { SEQUENCES = 64, TRAINED = 512, VOCAB = 50, NODES = 40, SLOTS = 2 * TRAINED };

typedef struct tree {
    uint32_t count;
    int32_t parents[NODES]; // -1: the text before
    uint32_t tokens[NODES], places[NODES], depths[NODES];
    uint32_t sequences[NODES], branches[NODES];
} tree;

typedef struct fixture {
    tiny_model tiny;
    li_model *model, *alone; // the second computes one path at a time, and keeps all slots
    uint32_t length;         // of the text before
    uint32_t used;           // sequences, of which the first has the text
} fixture;

static uint32_t below(uint32_t limit)
{
    return tiny_random() % limit;
}

static void append_text(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, f->length++) {
        const uint32_t token = below(VOCAB);
        CHECK_EQ(tiny_forward(f->model, 0, &token, 1, false), LI_OK);
        CHECK_EQ(tiny_forward(f->alone, 0, &token, 1, false), LI_OK);
    }
}

// A random tree. A node continues the sequence of its parent if no other node does, or branches.
static void grow(tree *tree, uint32_t count, uint32_t length)
{
    uint32_t sequences = 1, ends[SEQUENCES] = {length}; // the length of each sequence so far
    tree->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t parent = (int32_t)below(i + 1) - 1;
        const uint32_t from = parent < 0 ? 0 : tree->sequences[parent];
        tree->parents[i] = parent;
        tree->depths[i] = parent < 0 ? 1 : tree->depths[parent] + 1;
        tree->places[i] = length + tree->depths[i] - 1;
        tree->tokens[i] = below(VOCAB);
        const bool goes_on = ends[from] == tree->places[i] && below(4);
        tree->sequences[i] = goes_on ? from : sequences++;
        tree->branches[i] = goes_on ? 0 : 1 + from;
        ends[tree->sequences[i]] = tree->places[i] + 1;
    }
}

static li_status run(fixture *f, const tree *tree)
{
    li_row *rows = li_model_rows(f->model);
    for (uint32_t i = 0; i < tree->count; i++)
        rows[i] = (li_row){tree->tokens[i], tree->places[i], tree->sequences[i], true, tree->branches[i]};
    return li_model_forward(f->model, tree->count);
}

// Runs the path to a node in the other model, and returns the logits of the node.
static const float *logits_alone(fixture *f, const tree *tree, uint32_t node)
{
    uint32_t path[NODES], depth = tree->depths[node];
    for (int32_t at = (int32_t)node; at >= 0; at = tree->parents[at]) path[tree->depths[at] - 1] = tree->tokens[at];
    CHECK_EQ(li_sequence_keep(f->alone, 0, f->length), LI_OK);
    for (uint32_t i = 0; i < depth; i++) CHECK_EQ(tiny_forward(f->alone, 0, &path[i], 1, true), LI_OK);
    return li_model_logits(f->alone);
}

// The text goes on with the path to a node; the other branches end.
static void adopt(fixture *f, const tree *tree, uint32_t node)
{
    const uint32_t from = tree->sequences[node], length = tree->places[node] + 1;
    CHECK_EQ(li_sequence_share(f->model, from, 0, length), LI_OK);
    for (uint32_t s = 1; s < SEQUENCES; s++) CHECK_EQ(li_sequence_keep(f->model, s, 0), LI_OK);
    logits_alone(f, tree, node);
    f->length = length;
    CHECK_EQ(li_sequence_length(f->model, 0), length);
    CHECK_EQ(li_model_free_slots(f->model), SLOTS - length);
}

static void check_trees(const tiny_shape *shape, const tiny_flags *flags)
{
    fixture f = {.length = 0};
    tiny_make_with(&f.tiny, shape, flags);
    f.model = tiny_load(&f.tiny, SLOTS, SEQUENCES, 1 << 16);
    f.alone = tiny_load(&f.tiny, SLOTS, 1, 1 << 16);
    f.alone->window_cache.kept = 0;
    append_text(&f, 100);
    for (uint32_t round = 0; round < 12; round++) {
        CHECK_CASE("round %u", round);
        tree tree;
        // A tree of NODES rows is computed in several batches.
        grow(&tree, round % 3 ? 1 + below(8) : NODES, f.length);
        CHECK_EQ(run(&f, &tree), LI_OK);
        bool is_same = true;
        for (uint32_t i = 0; i < tree.count; i++) {
            const float *row = li_model_logits(f.model) + i * VOCAB;
            is_same &= memcmp(row, logits_alone(&f, &tree, i), VOCAB * sizeof(float)) == 0;
        }
        CHECK(is_same);
        adopt(&f, &tree, below(tree.count));
        append_text(&f, below(12));
    }
    // A tree in two calls: the branches of the second share positions of the first.
    tree tree = {.count = 4, .parents = {-1, 0, 0, 1}, .tokens = {1, 2, 3, 4}, .depths = {1, 2, 2, 3}};
    for (uint32_t i = 0; i < 4; i++) tree.places[i] = f.length + tree.depths[i] - 1;
    li_row *rows = li_model_rows(f.model);
    rows[0] = (li_row){1, f.length, 0, false, 0};
    rows[1] = (li_row){2, f.length + 1, 0, false, 0};
    CHECK_EQ(li_model_forward(f.model, 2), LI_OK);
    rows[0] = (li_row){3, f.length + 1, 5, true, 1};
    rows[1] = (li_row){4, f.length + 2, 6, true, 1};
    CHECK_EQ(li_model_forward(f.model, 2), LI_OK);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_BYTES(li_model_logits(f.model) + i * VOCAB, logits_alone(&f, &tree, 2 + i), VOCAB * sizeof(float));
    li_model_destroy(f.model);
    li_model_destroy(f.alone);
    tiny_free(&f.tiny);
}

static void test_a_tree_of_rows_equals_its_paths(void)
{
    static const tiny_shape shapes[] = {
        // vocab, dim, hidden, layers, heads, kv_heads, context, head_dim, rope_dim, tied, reversed, types
        {VOCAB, 32, 32, 2, 2, 1, TRAINED, 32, 0, true, false, F32, F32, F32},
        {VOCAB, 64, 64, 2, 4, 2, TRAINED, 0, 0, false, false, Q8_0, Q8_0, F32},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (li_cache_type type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++) {
            if (i && type == LI_CACHE_Q8_0) continue; // heads of 16
            CHECK_CASE("shape %zu, type %d", i, type);
            check_trees(&shapes[i], &(tiny_flags){.cache_type = type});
        }
}

static void test_a_tree_of_rows_equals_its_paths_in_sliding_windows(void)
{
    static const tiny_shape shape = {VOCAB, 32, 32, 3, 1, 1, TRAINED, 32, 0, true, false, F32, F32, F32};
    static const uint32_t windows[] = {1, 37, 64};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        CHECK_CASE("window %u", windows[i]);
        check_trees(&shape, &(tiny_flags){.family = "gemma3",
                                          .has_qk_norm = true,
                                          .has_norms_after = true,
                                          .window = windows[i],
                                          .window_period = 2,
                                          .cache_type = LI_CACHE_F32});
    }
}

static void test_branches_that_cannot_be_are_refused(void)
{
    static const tiny_shape shape = {VOCAB, 32, 32, 1, 1, 1, TRAINED, 32, 0, true, false, F32, F32, F32};
    fixture f = {.length = 0};
    tiny_make(&f.tiny, &shape);
    f.model = tiny_load(&f.tiny, SLOTS, 4, 1 << 16);
    f.alone = tiny_load(&f.tiny, SLOTS, 1, 1 << 16);
    append_text(&f, 100);
    const uint32_t token = 1;
    CHECK_EQ(tiny_forward(f.model, 3, &token, 1, false), LI_OK);
    const li_row first = {1, 100, 0, true, 0};
    const li_row wrong[] = {
        {1, 100, 1, true, 2}, // of itself
        {1, 100, 1, true, 5}, // of a sequence that is not there
        {1, 100, 1, true, UINT32_MAX},
        {1, 102, 1, true, 1}, // beyond the end
        {1, 36, 1, true, 1},  // too far back
        {1, 1, 3, true, 1},   // of a sequence that is not empty
        {1, 100, 1, true, 3}, // of an empty one
        {1, 101, 0, true, 4},
        {VOCAB, 100, 1, true, 1},
    };
    li_row *rows = li_model_rows(f.model);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_CASE("row %zu", i);
        rows[0] = first;
        rows[1] = wrong[i];
        CHECK_EQ(li_model_forward(f.model, 2), LI_ERROR_MODEL_ROWS);
        CHECK_EQ(li_sequence_length(f.model, 0), 100);
        CHECK_EQ(li_sequence_length(f.model, 1), 0);
        CHECK_EQ(li_model_free_slots(f.model), SLOTS - 101);
    }
    rows[0] = first;
    rows[1] = (li_row){1, 37, 1, true, 1};
    rows[2] = (li_row){1, 38, 1, true, 0};
    rows[3] = (li_row){1, 0, 2, true, 4}; // shares nothing
    CHECK_EQ(li_model_forward(f.model, 4), LI_OK);
    CHECK_EQ(li_sequence_length(f.model, 1), 39);
    CHECK_EQ(li_sequence_length(f.model, 2), 1);
    CHECK_EQ(li_model_free_slots(f.model), SLOTS - 105);
    li_model_destroy(f.model);
    li_model_destroy(f.alone);
    tiny_free(&f.tiny);
}

// A window keeps no slots before the place where a text was cut.
static void test_branches_behind_the_slots_of_a_window_are_refused(void)
{
    static const tiny_shape shape = {VOCAB, 32, 32, 3, 1, 1, TRAINED, 32, 0, true, false, F32, F32, F32};
    tiny_model tiny;
    tiny_make_with(&tiny, &shape,
                   &(tiny_flags){.family = "gemma3",
                                 .has_qk_norm = true,
                                 .has_norms_after = true,
                                 .window = 37,
                                 .window_period = 2,
                                 .cache_type = LI_CACHE_F32});
    li_model *model = tiny_load(&tiny, SLOTS, 4, 1 << 16);
    for (uint32_t i = 0; i < 450; i++) {
        const uint32_t token = below(VOCAB);
        CHECK_EQ(tiny_forward(model, 0, &token, 1, false), LI_OK);
    }
    const uint32_t least = li_sequence_least(model, 0);
    CHECK(least > 64);
    CHECK_EQ(li_sequence_keep(model, 0, least), LI_OK);
    const uint32_t free = li_model_free_slots(model);
    const li_row wrong[][3] = {
        {{1, least - 1, 1, true, 1}},                                                 // of the text
        {{1, least, 1, true, 1}, {2, least - 10, 2, true, 2}},                        // of a branch
        {{1, least, 1, true, 1}, {2, least, 2, true, 2}, {3, least - 1, 3, true, 3}}, // of a branch of it
    };
    li_row *rows = li_model_rows(model);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_CASE("%u rows", i + 1);
        memcpy(rows, wrong[i], (i + 1) * sizeof *rows);
        CHECK_EQ(li_model_forward(model, i + 1), LI_ERROR_MODEL_ROWS);
        CHECK_EQ(li_sequence_length(model, 1), 0);
        CHECK_EQ(li_model_free_slots(model), free);
        rows[i].position = least;
        CHECK_EQ(li_model_forward(model, i + 1), LI_OK);
        for (uint32_t s = 1; s <= i + 1; s++) CHECK_EQ(li_sequence_keep(model, s, 0), LI_OK);
    }
    li_model_destroy(model);
    tiny_free(&tiny);
}

int main(void)
{
    start_helpers(2);
    test_a_tree_of_rows_equals_its_paths();
    test_a_tree_of_rows_equals_its_paths_in_sliding_windows();
    test_branches_that_cannot_be_are_refused();
    test_branches_behind_the_slots_of_a_window_are_refused();
    return check_done("tree");
}
