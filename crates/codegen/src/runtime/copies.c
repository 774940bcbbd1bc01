/* Data for a thread: copies, whose counts nobody else changes. What is shared in the data is shared in the copy, and
   nothing recurses, however deep data is. */

/* A block that several hold, and its copy. */
typedef struct { const pb_block *of; pb_block *copy; } pb_twin;

/* What copies: the blocks that several hold, in a table, and the copies whose parts are not copied yet. */
typedef struct {
  pb_ctx *c;
  pb_twin *twins;
  uint64_t room, count;
  pb_block **open;
  uint64_t depth, space;
} pb_copier;

static pb_twin *pb_twin_of(const pb_copier *k, const pb_block *of) {
  uint64_t at = (uint64_t)(uintptr_t)of / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 20;
  while (k->twins[at & (k->room - 1)].of && k->twins[at & (k->room - 1)].of != of) at++;
  return &k->twins[at & (k->room - 1)];
}

/* The place of a block in the table, which stays half empty. */
static pb_twin *pb_twin_place(pb_copier *k, const pb_block *of) {
  if (2 * k->count >= k->room) {
    const pb_copier old = *k;
    k->room = old.room ? 2 * old.room : 64;
    k->twins = pb_take(k->c, -1, k->room * sizeof *k->twins);
    memset(k->twins, 0, k->room * sizeof *k->twins);
    for (uint64_t at = 0; at < old.room; at++)
      if (old.twins[at].of) *pb_twin_of(k, old.twins[at].of) = old.twins[at];
    if (old.room) pb_give(k->c, old.twins, old.room * sizeof *old.twins);
  }
  return pb_twin_of(k, of);
}

static void pb_copy_opens(pb_copier *k, pb_block *copy) {
  if (k->depth == k->space) {
    const uint64_t space = k->space ? 2 * k->space : 64;
    pb_block **const open = pb_take(k->c, -1, space * sizeof *open);
    if (k->space) {
      memcpy(open, k->open, k->space * sizeof *open);
      pb_give(k->c, k->open, k->space * sizeof *open);
    }
    k->open = open;
    k->space = space;
  }
  k->open[k->depth++] = copy;
}

/* The copy of a block, whose parts are copied by pb_copied. */
PB_PRECOMPILED pb_block *pb_copy_block(pb_copier *k, pb_block *b) {
  if (!pb_is_cell(b) || b == &pb_undef) return b;
  pb_twin *twin = 0;
  if (b->count != 1) {
    twin = pb_twin_place(k, b);
    if (twin->of) {
      twin->copy->count++;
      return twin->copy;
    }
  }
  pb_block *copy;
  uint64_t parts;
  /* A thread that would take too long for its copies leaves its work to the run. */
  const uint64_t bytes =
      b->kind == PB_ARRAY ? ((const pb_buffer *)b)->bytes : pb_cell_bytes(k->c->types[b->kind].con[b->tag].words);
  if (bytes > k->c->may_copy) pb_out_of_memory(k->c, -1, bytes, 1);
  k->c->may_copy -= bytes;
  if (b->kind == PB_ARRAY) {
    const pb_buffer *const from = (const pb_buffer *)b;
    copy = pb_buffer_of(k->c, -1, PB_BOOL, from->bytes);
    copy->tag = b->tag;
    memcpy(PB_ITEMS(copy), PB_ITEMS(b), from->bytes);
    /* The elements of a head that is lent are somebody else's, and stay there. */
    if (pb_is_lent(b)) *(pb_buffer *)copy = (pb_buffer)PB_LENT(b->tag);
    ((pb_buffer *)copy)->cells = from->cells;
    parts = (uint64_t)from->cells;
  } else {
    const pb_con *const con = &k->c->types[b->kind].con[b->tag];
    copy = pb_cell(k->c, -1, b->kind, b->tag, con->words);
    memcpy(PB_WORDS(copy), PB_WORDS(b), con->words * 8);
    parts = con->fields;
  }
  if (twin) {
    *twin = (pb_twin){b, copy};
    k->count++;
  }
  if (parts) pb_copy_opens(k, copy);
  return copy;
}

/* The same of an array. */
PB_PRECOMPILED void pb_copy_array(pb_copier *k, void *array) {
  pb_any *const a = array;
  pb_block *const from = a->b;
  a->b = pb_copy_block(k, from);
  if (a->b != from && ((pb_buffer *)from)->bytes) a->p += (char *)a->b - (char *)from;
}

/* Copies the parts of what has been copied. */
PB_PRECOMPILED void pb_copied(pb_copier *k) {
  while (k->depth > 0) {
    pb_block *const b = k->open[--k->depth];
    if (b->kind == PB_ARRAY) {
      pb_data *const items = PB_ITEMS(b);
      for (int64_t i = 0; i < ((pb_buffer *)b)->cells; i++) items[i] = pb_copy_block(k, items[i]);
      continue;
    }
    const pb_con *const con = &k->c->types[b->kind].con[b->tag];
    int64_t *const words = PB_WORDS(b);
    for (uint32_t f = 0; f < con->fields; f++) {
      const pb_field *const field = &con->field[f];
      pb_data *const part = (pb_data *)(words + field->at);
      if (field->rank > 0) {
        if (field->elem != PB_UNIT) pb_copy_array(k, part);
      } else if (field->elem == PB_DATA || field->elem == PB_STR) {
        *part = pb_copy_block(k, *part);
      }
    }
  }
  if (k->room) pb_give(k->c, k->twins, k->room * sizeof *k->twins);
  if (k->space) pb_give(k->c, k->open, k->space * sizeof *k->open);
}
