/* Tangents: zeros, sums, and the ways between those of the IR and those that programs see. Values are looked at,
   results are new; nothing recurses, however deep data is. */

/* A part that is still to be made, of other values, into a word or the words of an array. */
typedef struct {
  const int64_t *one, *other;
  int64_t *to;
  uint32_t type, other_type;
  uint8_t elem, rank;
} pb_part;

typedef struct { pb_part *items; int64_t len, room; int is_cotangent; } pb_work;

/* Room for more parts: at first as much as a small block has. */
PB_CALLED void pb_more(pb_ctx *c, int32_t site, pb_work *work) {
  int64_t room = work->room ? work->room * 2 : 12;
  pb_part *items = pb_take(c, site, (uint64_t)room * sizeof(pb_part));
  if (work->items) {
    memcpy(items, work->items, (uint64_t)work->len * sizeof(pb_part));
    pb_give(c, work->items, (uint64_t)work->room * sizeof(pb_part));
  }
  work->items = items;
  work->room = room;
}

/* Always inline, so that a part is written where it stays: a copy would wait for narrow stores before it reads. */
static inline __attribute__((always_inline)) void pb_push(pb_ctx *c, int32_t site, pb_work *work, pb_part part) {
  if (PB_RARE(work->len == work->room)) pb_more(c, site, work);
  work->items[work->len++] = part;
}

static void pb_done(pb_ctx *c, pb_work *work) {
  if (work->items) pb_give(c, work->items, (uint64_t)work->room * sizeof(pb_part));
}

static PB_COLD void pb_bug(pb_ctx *c, int32_t site, int64_t what) { pb_fail(c, site, PB_F_BUG, what, 0, 0); }

/* The zero tangent in the shape of an array. */
static PB_UNUSED void pb_zero(pb_ctx *c, int32_t site, uint32_t elem, int rank, uint32_t zero, const void *like,
                              void *array) {
  const pb_any *a = like;
  pb_any *made = array;
  if (a->b == &pb_undef) {
    *made = (pb_any){&pb_undef, 0};
    memset(made->d, 0, (uint64_t)rank * 8);
    return;
  }
  uint64_t count = pb_count_checked(a->d, rank);
  pb_block *b = pb_buffer_of(c, site, elem, count);
  if (elem == PB_DATA) {
    for (uint64_t i = 0; i < count; i++) ((pb_data *)PB_ITEMS(b))[i] = pb_tag_only(zero);
  } else if (b) {
    memset(PB_ITEMS(b), 0, count * pb_size(elem));
  }
  made->b = b;
  made->p = b ? PB_ITEMS(b) : 0;
  memcpy(made->d, a->d, (uint64_t)rank * 8);
}

static void pb_same_shape(pb_ctx *c, int32_t site, const pb_any *a, const pb_any *b, int rank) {
  if (memcmp(a->d, b->d, (uint64_t)rank * 8) && pb_count(a->d, rank) + pb_count(b->d, rank) > 0) pb_bug(c, site, 1);
}

/* The sum of two arrays of Reals, both used up. */
static PB_UNUSED void pb_plus_reals(pb_ctx *c, int32_t site, int rank, void *one, void *two) {
  pb_any *a = one, *b = two;
  if (a->b == &pb_undef) {
    memcpy(a, b, 16 + (uint64_t)rank * 8);
    return;
  }
  if (b->b == &pb_undef) return;
  pb_same_shape(c, site, a, b, rank);
  uint64_t count = pb_count(a->d, rank);
  const double *x = (double *)a->p, *y = (double *)b->p;
  double *sum = (double *)a->p;
  pb_block *old = b->b;
  if (a->b->count != 1) {
    old = a->b;
    if (b->b->count == 1) {
      sum = (double *)b->p;
      a->b = b->b;
    } else {
      pb_dec(c, b->b);
      a->b = pb_buffer_of(c, site, PB_REAL, count);
      sum = PB_ITEMS(a->b);
    }
    a->p = (char *)sum;
  }
  for (uint64_t i = 0; i < count; i++) sum[i] = x[i] + y[i];
  pb_dec(c, old);
}

static void pb_plus_parts(pb_ctx *c, int32_t site, pb_work *work) {
  while (work->len) {
    pb_part part = work->items[--work->len];
    if (part.rank > 0) {
      const pb_any *a = (const pb_any *)part.one, *b = (const pb_any *)part.other;
      pb_any *sum = (pb_any *)part.to;
      if (a->b == &pb_undef || b->b == &pb_undef) {
        memcpy(sum, a->b == &pb_undef ? b : a, 16 + (uint64_t)part.rank * 8);
        pb_inc(sum->b);
        continue;
      }
      pb_same_shape(c, site, a, b, part.rank);
      uint64_t count = pb_count(a->d, part.rank);
      pb_block *block = pb_buffer_of(c, site, part.elem, count);
      sum->b = block;
      sum->p = PB_ITEMS(block);
      memcpy(sum->d, a->d, (uint64_t)part.rank * 8);
      if (part.elem == PB_REAL) {
        for (uint64_t i = 0; i < count; i++)
          ((double *)sum->p)[i] = ((const double *)a->p)[i] + ((const double *)b->p)[i];
      } else {
        for (uint64_t i = 0; i < count; i++)
          pb_push(c, site, work, (pb_part){(const int64_t *)a->p + i, (const int64_t *)b->p + i,
                                           (int64_t *)sum->p + i, part.type, 0, PB_DATA, 0});
      }
      continue;
    }
    if (part.elem == PB_REAL) {
      *(double *)part.to = *(const double *)part.one + *(const double *)part.other;
      continue;
    }
    pb_data a = (pb_data)(intptr_t)*part.one, b = (pb_data)(intptr_t)*part.other, sum;
    const pb_type *type = &c->types[part.type];
    uint32_t zero = type->cons - 1;
    if (!a || !b || pb_tag(a) == zero || pb_tag(b) == zero) {
      sum = !a || (b && pb_tag(a) == zero) ? b : a;
      pb_inc_data(sum);
    } else if (pb_tag(a) != pb_tag(b)) {
      pb_bug(c, site, 2);
    } else if (type->con[pb_tag(a)].fields == 0) {
      sum = a;
    } else {
      const pb_con *con = &type->con[pb_tag(a)];
      sum = pb_cell(c, site, part.type, pb_tag(a), con->words);
      for (uint32_t k = 0; k < con->fields; k++) {
        const pb_field *f = &con->field[k];
        const int64_t *one = PB_WORDS(a) + f->at, *other = PB_WORDS(b) + f->at;
        int64_t *to = PB_WORDS(sum) + f->at;
        if (f->elem == PB_REAL && f->rank == 0)
          *(double *)to = *(const double *)one + *(const double *)other;
        else
          pb_push(c, site, work, (pb_part){one, other, to, f->data, 0, f->elem, f->rank});
      }
    }
    *part.to = (int64_t)(intptr_t)sum;
  }
  pb_done(c, work);
}

/* The sum of two tangents of data, which are looked at. */
PB_PRECOMPILED pb_data pb_plus_data(pb_ctx *c, int32_t site, uint32_t type, pb_data a, pb_data b) {
  int64_t one = (int64_t)(intptr_t)a, other = (int64_t)(intptr_t)b, sum;
  pb_work work = {0};
  pb_push(c, site, &work, (pb_part){&one, &other, &sum, type, 0, PB_DATA, 0});
  pb_plus_parts(c, site, &work);
  return (pb_data)(intptr_t)sum;
}

/* The sum of two arrays of tangents of data, which are looked at. */
PB_PRECOMPILED void pb_plus_datas(pb_ctx *c, int32_t site, uint32_t type, int rank, const void *a, const void *b,
                                    void *sum) {
  pb_work work = {0};
  pb_push(c, site, &work, (pb_part){a, b, sum, type, 0, PB_DATA, (uint8_t)rank});
  pb_plus_parts(c, site, &work);
}

/* Adds a tangent of data to what is accumulated. */
PB_PRECOMPILED void pb_add_data(pb_ctx *c, int32_t site, uint32_t type, pb_data *to, pb_data v) {
  pb_data sum = pb_plus_data(c, site, type, *to, v);
  pb_dec_data(c, *to);
  *to = sum;
}

/* Adds an array to what is accumulated, from a place on where an array of these sizes is. */
static PB_UNUSED void pb_add_array(pb_ctx *c, int32_t site, uint32_t elem, uint32_t type, int rank, void *to,
                                   const int64_t *sizes, const void *array) {
  const pb_any *a = array;
  if (a->b == &pb_undef) return;
  uint64_t count = pb_count(a->d, rank);
  if (memcmp(a->d, sizes, (uint64_t)rank * 8) && count + pb_count(sizes, rank) > 0) pb_bug(c, site, 3);
  if (elem == PB_REAL) {
    double *restrict sum = to;
    const double *restrict more = (const double *)a->p;
    for (uint64_t i = 0; i < count; i++) sum[i] += more[i];
  } else {
    for (uint64_t i = 0; i < count; i++) pb_add_data(c, site, type, (pb_data *)to + i, ((pb_data *)a->p)[i]);
  }
}

static int pb_has_tangent(const pb_ctx *c, const pb_field *f) {
  return f->elem == PB_REAL || (f->elem == PB_DATA && c->types[f->data].holds_real);
}
/* Whether the tangents that programs see have something for a field. */
static int pb_is_seen(const pb_field *f) {
  return f->elem == PB_REAL || f->elem == PB_DATA || (f->rank > 0 && !f->unseen);
}

static uint32_t pb_tangent_type(const pb_ctx *c, uint32_t type) {
  return c->types[type].is_tangent ? type : c->types[type].tangent;
}

/* Fails unless a tangent that a program made has the sizes of an array. */
static void pb_fits_array(pb_ctx *c, int32_t site, int rank, const pb_any *a, const pb_any *t, int is_cotangent) {
  for (int k = 0; k < rank; k++) {
    if (a->d[k] != t->d[k]) pb_fail(c, site, PB_F_SHAPE, a->d[k], t->d[k], is_cotangent);
    if (a->d[k] == 0) break;
  }
}

/* Makes an array the same as another. */
static void pb_share_array(int rank, const pb_any *a, pb_any *made) {
  memcpy(made, a, 16 + (uint64_t)rank * 8);
  pb_inc(made->b);
}

/* The IR's tangent of an array without data, from one that a program made: the same. */
static PB_UNUSED void pb_to_plain(pb_ctx *c, int32_t site, int rank, const void *value, const void *tangent, void *made,
                                  int is_cotangent) {
  pb_fits_array(c, site, rank, value, tangent, is_cotangent);
  pb_share_array(rank, tangent, made);
}

/* What a program sees of such a tangent; 0 if there is none. */
static PB_UNUSED void pb_from_plain(pb_ctx *c, int32_t site, uint32_t elem, int rank, const void *value,
                                    const void *tangent, void *made) {
  const pb_any *t = tangent;
  if (t && t->b != &pb_undef) pb_share_array(rank, t, made);
  else pb_zero(c, site, elem == PB_REAL ? PB_REAL : PB_UNIT, rank, 0, value, made);
}

/* The IR's tangent of a value, from one that a program made; parts without a place to go to are only checked. */
static void pb_take_in(pb_ctx *c, int32_t site, pb_work *work, pb_part part) {
  if (part.rank > 0) {
    const pb_any *a = (const pb_any *)part.one, *t = (const pb_any *)part.other;
    pb_any *made = (pb_any *)part.to;
    pb_fits_array(c, site, part.rank, a, t, work->is_cotangent);
    if (part.elem != PB_DATA) {
      if (made) pb_share_array(part.rank, t, made);
      return;
    }
    uint64_t count = pb_count(a->d, part.rank);
    if (made) {
      made->b = pb_buffer_of(c, site, PB_DATA, count);
      made->p = PB_ITEMS(made->b);
      memcpy(made->d, a->d, (uint64_t)part.rank * 8);
    }
    for (uint64_t i = count; i-- > 0;)
      pb_push(c, site, work, (pb_part){(const int64_t *)a->p + i, (const int64_t *)t->p + i,
                                       made ? (int64_t *)made->p + i : 0, part.type, part.other_type, PB_DATA, 0});
    return;
  }
  if (part.elem != PB_DATA) {
    if (part.to) *part.to = *part.other;
    return;
  }
  pb_data v = (pb_data)(intptr_t)*part.one, t = (pb_data)(intptr_t)*part.other;
  if (!v || !t) pb_bug(c, site, 4);
  uint32_t tag = pb_tag(v), type = pb_tangent_type(c, part.type);
  if (tag != pb_tag(t)) pb_fail(c, site, PB_F_TAGS, tag, pb_tag(t), work->is_cotangent);
  const pb_con *con = &c->types[part.type].con[tag], *seen = &c->types[part.other_type].con[tag];
  const pb_con *kept = part.to ? &c->types[type].con[tag] : 0;
  pb_data made = 0;
  if (kept) {
    made = kept->fields ? pb_cell(c, site, type, tag, kept->words) : pb_tag_only(tag);
    *part.to = (int64_t)(intptr_t)made;
  }
  uint32_t next = 0, to = 0;
  for (uint32_t k = 0; k < con->fields; k++) {
    const pb_field *f = &con->field[k];
    if (!pb_is_seen(f)) continue;
    const pb_field *u = &seen->field[next++];
    int64_t *place = kept && pb_has_tangent(c, f) ? PB_WORDS(made) + kept->field[to++].at : 0;
    pb_push(c, site, work, (pb_part){PB_WORDS(v) + f->at, PB_WORDS(t) + u->at, place, f->data, u->data, f->elem,
                                     f->rank});
  }
}

static PB_UNUSED void pb_taken_in(pb_ctx *c, int32_t site, uint32_t elem, uint32_t type, uint32_t seen, int rank,
                                  const void *value, const void *tangent, void *made, int is_cotangent) {
  pb_work work = {.is_cotangent = is_cotangent};
  pb_push(c, site, &work, (pb_part){value, tangent, made, type, seen, (uint8_t)elem, (uint8_t)rank});
  while (work.len) pb_take_in(c, site, &work, work.items[--work.len]);
  pb_done(c, &work);
}

PB_PRECOMPILED void pb_to_tangent(pb_ctx *c, int32_t site, uint32_t elem, uint32_t type, uint32_t seen, int rank,
                                    const void *value, const void *tangent, void *made) {
  pb_taken_in(c, site, elem, type, seen, rank, value, tangent, made, 0);
}

PB_PRECOMPILED void pb_to_cotangent(pb_ctx *c, int32_t site, uint32_t elem, uint32_t type, uint32_t seen, int rank,
                                      const void *value, const void *cotangent, void *made) {
  pb_taken_in(c, site, elem, type, seen, rank, value, cotangent, made, 1);
}

/* What a program sees of the tangent of a value; `other` is 0 where there is none. */
static void pb_give_out(pb_ctx *c, int32_t site, pb_work *work, pb_part part) {
  if (part.rank > 0) {
    const pb_any *a = (const pb_any *)part.one, *t = (const pb_any *)part.other;
    pb_any *made = (pb_any *)part.to;
    if (part.elem != PB_DATA) {
      pb_from_plain(c, site, part.elem, part.rank, a, t, made);
      return;
    }
    if (t && t->b == &pb_undef) t = 0;
    uint64_t count = pb_count(a->d, part.rank);
    made->b = pb_buffer_of(c, site, PB_DATA, count);
    made->p = PB_ITEMS(made->b);
    memcpy(made->d, a->d, (uint64_t)part.rank * 8);
    for (uint64_t i = 0; i < count; i++)
      pb_push(c, site, work, (pb_part){(const int64_t *)a->p + i, t ? (const int64_t *)t->p + i : 0,
                                       (int64_t *)made->p + i, part.type, part.other_type, PB_DATA, 0});
    return;
  }
  if (part.elem != PB_DATA) {
    *part.to = part.other ? *part.other : 0;
    return;
  }
  pb_data v = (pb_data)(intptr_t)*part.one, t = part.other ? (pb_data)(intptr_t)*part.other : 0;
  if (!v) pb_bug(c, site, 5);
  uint32_t tag = pb_tag(v), type = pb_tangent_type(c, part.type);
  const pb_con *con = &c->types[part.type].con[tag], *seen = &c->types[part.other_type].con[tag], *kept = 0;
  if (t && c->types[part.type].holds_real && pb_tag(t) != c->types[type].cons - 1) {
    if (pb_tag(t) != tag) pb_bug(c, site, 6);
    kept = &c->types[type].con[tag];
  }
  pb_data made = seen->fields ? pb_cell(c, site, part.other_type, tag, seen->words) : pb_tag_only(tag);
  *part.to = (int64_t)(intptr_t)made;
  uint32_t next = 0, from = 0;
  for (uint32_t k = 0; k < con->fields; k++) {
    const pb_field *f = &con->field[k];
    if (!pb_is_seen(f)) continue;
    const int64_t *other = kept && pb_has_tangent(c, f) ? PB_WORDS(t) + kept->field[from++].at : 0;
    const pb_field *u = &seen->field[next++];
    pb_push(c, site, work, (pb_part){PB_WORDS(v) + f->at, other, PB_WORDS(made) + u->at, f->data, u->data, f->elem,
                                     f->rank});
  }
}

PB_PRECOMPILED void pb_from_tangent(pb_ctx *c, int32_t site, uint32_t elem, uint32_t type, uint32_t seen, int rank,
                                      const void *value, const void *tangent, void *made) {
  pb_work work = {0};
  pb_push(c, site, &work, (pb_part){value, tangent, made, type, seen, (uint8_t)elem, (uint8_t)rank});
  while (work.len) pb_give_out(c, site, &work, work.items[--work.len]);
  pb_done(c, &work);
}
