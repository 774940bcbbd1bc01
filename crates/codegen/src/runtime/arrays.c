/* Arrays: a view of counted elements, `b` the block, `p` the first element, then the sizes. */

typedef struct { pb_block *b; double *p; int64_t d[1]; } R1;
typedef struct { pb_block *b; int64_t *p; int64_t d[1]; } I1;

/* The most dimensions that an array may have. */
#define PB_RANK 16

/* An array of any kind and number of dimensions. */
typedef struct { pb_block *b; char *p; int64_t d[]; } pb_any;

static inline uint64_t pb_size(uint32_t elem) { return elem == PB_BOOL ? 1 : elem == PB_UNIT ? 0 : 8; }

static inline uint64_t pb_count(const int64_t *d, int rank) {
  uint64_t count = 1;
  for (int k = 0; k < rank; k++) count *= (uint64_t)d[k];
  return count;
}

/* As pb_count, of sizes whose product may be too large for anything. */
static inline uint64_t pb_count_checked(const int64_t *d, int rank) {
  uint64_t count = 1;
  for (int k = 0; k < rank; k++)
    if (d[k] == 0) return 0;
  for (int k = 0; k < rank; k++)
    if (__builtin_mul_overflow(count, (uint64_t)d[k], &count)) return UINT64_MAX;
  return count;
}

/* A product of sizes; those of absent rows may be anything. */
static inline PB_UNUSED int64_t pb_product(int64_t m, int64_t n) {
  int64_t product;
  return __builtin_mul_overflow(m, n, &product) ? INT64_MAX : product;
}

/* Room for so many elements; none for units. */
PB_CALLED pb_block *pb_buffer_of(pb_ctx *c, int32_t site, uint32_t elem, uint64_t count) {
  if (elem == PB_UNIT) return 0;
  uint64_t bytes;
  if (__builtin_mul_overflow(count, pb_size(elem), &bytes) || bytes > (UINT64_C(1) << 60))
    pb_out_of_memory(c, site, count, pb_size(elem));
  bytes = (bytes + 15) & ~UINT64_C(15);
  /* What lies on large pages has all of the last one, so that something may be appended. */
  const uint64_t heads = sizeof(pb_large) + sizeof(pb_buffer);
  if (bytes >= PB_HUGE && bytes + PB_PAGE < c->limit - c->used)
    bytes = ((bytes + heads + PB_PAGE - 1) & ~(PB_PAGE - 1)) - heads;
  pb_buffer *buffer = pb_take(c, site, sizeof(pb_buffer) + bytes);
  buffer->head = (pb_block){1, PB_ARRAY, elem};
  buffer->bytes = bytes;
  buffer->cells = elem == PB_DATA ? (int64_t)count : 0;
  return &buffer->head;
}
#define PB_ITEMS(b) ((void *)((pb_buffer *)(b) + 1))
/* Room for an array of these sizes, where a run comes once. */
PB_CALLED pb_block *pb_room_once(pb_ctx *c, int32_t site, uint32_t elem, const int64_t *d, int rank) {
  return pb_buffer_of(c, site, elem, pb_count_checked(d, rank));
}

static PB_COLD void pb_fail_size(pb_ctx *c, int32_t site, int64_t found, int64_t needed, int64_t what) {
  pb_fail(c, site, PB_F_SIZE, found, needed, what);
}
/* The same where at least one size is that of an array that is not made: a negative one is the mistake. */
static PB_COLD void pb_fail_count(pb_ctx *c, int32_t site, int64_t found, int64_t needed, int64_t what) {
  const int64_t least = found < needed ? found : needed;
  if (least < 0) pb_fail(c, site, PB_F_NEGATIVE, least, 0, 0);
  pb_fail_size(c, site, found, needed, what);
}
#define PB_ROWS (-1)
#define PB_NEW_ROW (-2)

/* Fails unless the sizes agree as far as there are rows. */
static inline void pb_same_sizes(pb_ctx *c, int32_t site, const int64_t *found, const int64_t *needed, int rank,
                                 int64_t what) {
  for (int k = 0; k < rank; k++) {
    if (PB_RARE(found[k] != needed[k])) pb_fail_size(c, site, found[k], needed[k], what);
    if (needed[k] == 0) break;
  }
}

/* Copies elements; of data values the copies count. */
static inline void pb_copy(uint32_t elem, void *to, const void *from, uint64_t count) {
  if (elem == PB_DATA)
    for (uint64_t i = 0; i < count; i++) pb_inc_data(((pb_data *)from)[i]);
  if (count) memcpy(to, from, count * pb_size(elem));
}

/* The same array, of elements that nothing else sees. */
static PB_UNUSED void pb_own(pb_ctx *c, int32_t site, uint32_t elem, int rank, void *array) {
  pb_any *a = array;
  if (elem == PB_UNIT || (a->b && a->b->count == 1)) return;
  uint64_t count = pb_count(a->d, rank);
  pb_block *b = pb_buffer_of(c, site, elem, count);
  pb_copy(elem, PB_ITEMS(b), a->p, count);
  pb_dec(c, a->b);
  a->b = b;
  a->p = PB_ITEMS(b);
}

/* Puts a row into its place. */
static PB_UNUSED void pb_put_row(pb_ctx *c, int32_t site, uint32_t elem, int rank, void *place, const int64_t *sizes,
                       const void *row) {
  const pb_any *r = row;
  if (r->b == &pb_undef) return;
  pb_same_sizes(c, site, r->d, sizes, rank, PB_NEW_ROW);
  uint64_t count = pb_count(r->d, rank);
  if (elem == PB_DATA) {
    for (uint64_t i = 0; i < count; i++) pb_inc_data(((pb_data *)r->p)[i]);
    for (uint64_t i = 0; i < count; i++) pb_dec_data(c, ((pb_data *)place)[i]);
  }
  if (count) memmove(place, r->p, count * pb_size(elem));
}

/* An array that is being made, element by element or row by row. */
typedef struct {
  pb_block *b;
  char *p;
  int64_t len, room;
  uint64_t row; /* elements of a row */
  int known, blank;
  int64_t d[PB_RANK];
} pb_build;

PB_PRECOMPILED void pb_build_room(pb_ctx *c, int32_t site, uint32_t elem, pb_build *made, int64_t room) {
  uint64_t count;
  if (__builtin_mul_overflow((uint64_t)room, made->row, &count))
    pb_out_of_memory(c, site, UINT64_MAX, pb_size(elem));
  pb_block *b = pb_buffer_of(c, site, elem, count);
  if (!b) {
    made->room = room;
    return;
  }
  uint64_t size = pb_size(elem);
  if (made->b) {
    memcpy(PB_ITEMS(b), made->p, (uint64_t)made->len * made->row * size);
    ((pb_buffer *)made->b)->cells = 0;
    pb_dec(c, made->b);
  }
  made->b = b;
  made->p = PB_ITEMS(b);
  made->room = room;
}

/* A row at a place, which is the next one, or in a loop with a known number of rows any. */
PB_PRECOMPILED void pb_build_row(pb_ctx *c, int32_t site, uint32_t elem, int rank, pb_build *made, const void *row,
                                 int64_t at, int64_t expected) {
  const pb_any *r = row;
  uint64_t size = pb_size(elem);
  if (r->b == &pb_undef) {
    made->blank = 1;
    if (made->known) {
      if (at >= made->room) pb_build_room(c, site, elem, made, made->room * 2 + 1);
      if (size) memset(made->p + (uint64_t)at * made->row * size, 0, made->row * size);
    }
    made->len++;
    return;
  }
  if (!made->known) {
    made->known = 1;
    memcpy(made->d, r->d, (uint64_t)rank * 8);
    made->row = pb_count_checked(r->d, rank);
    int64_t len = made->len;
    made->len = 0;
    pb_build_room(c, site, elem, made, expected > at ? expected : at + 1);
    if (made->blank && size) memset(made->p, 0, (uint64_t)made->room * made->row * size);
    made->len = len;
  } else {
    pb_same_sizes(c, site, r->d, made->d, rank, PB_ROWS);
    if (at >= made->room) pb_build_room(c, site, elem, made, made->room * 2 + 1);
  }
  if (size) pb_copy(elem, made->p + (uint64_t)at * made->row * size, r->p, made->row);
  made->len++;
}

/* The array that has been made. */
static PB_UNUSED void pb_built(pb_ctx *c, int32_t site, uint32_t elem, int rank, pb_build *made, void *array) {
  pb_any *a = array;
  if (!made->b && elem != PB_UNIT) made->b = pb_buffer_of(c, site, elem, 0), made->p = PB_ITEMS(made->b);
  if (elem == PB_DATA) ((pb_buffer *)made->b)->cells = made->len * (int64_t)(rank > 1 ? made->row : 1);
  a->b = made->b;
  a->p = made->p;
  a->d[0] = made->len;
  memcpy(a->d + 1, made->d, (uint64_t)(rank - 1) * 8);
}

/* An array that lies in the frame of a function, of which nobody is the last holder. */
static inline PB_UNUSED pb_block *pb_in_frame(pb_buffer *b) {
  b->head.count = INT64_C(1) << 62;
  return &b->head;
}

/* Copies numbers: few of them one by one, which is done before a call of memcpy would be. */
static inline PB_UNUSED void pb_copy_words(void *to, const void *from, int64_t n) {
  if (n > 16) {
    memcpy(to, from, (uint64_t)n * 8);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    memcpy((char *)to + 8 * i, (const char *)from + 8 * i, 8);
    PB_ONE_BY_ONE(i);
  }
}

/* One array, which is used up, and then the other; in place if nothing else sees the first. */
static PB_UNUSED void pb_concat(pb_ctx *c, int32_t site, uint32_t elem, int rank, void *one, const void *two) {
  pb_any *a = one;
  const pb_any *b = two;
  if (a->d[0] == 0 || b->d[0] == 0) {
    int takes = 1;
    for (int k = 0; k < rank; k++) takes &= a->d[k] == 0;
    if (b->d[0] != 0 || takes) {
      pb_inc(b->b);
      pb_dec(c, a->b);
      memcpy(a, b, 16 + (uint64_t)rank * 8);
    }
    return;
  }
  pb_same_sizes(c, site, b->d + 1, a->d + 1, rank - 1, PB_ROWS);
  uint64_t count = pb_count(a->d, rank), more = pb_count(b->d, rank), size = pb_size(elem);
  int64_t rows = a->d[0] + b->d[0];
  if (elem == PB_UNIT) {
    a->d[0] = rows;
    return;
  }
  pb_buffer *own = (pb_buffer *)a->b;
  int alone = a->b->count == 1;
  uint64_t before = (uint64_t)(a->p - (char *)PB_ITEMS(a->b));
  if (alone && elem == PB_DATA) {
    pb_data *items = PB_ITEMS(a->b);
    int64_t end = (int64_t)(before / 8 + count);
    while (own->cells > end) pb_dec_data(c, items[--own->cells]);
  }
  if (!(alone && before + (count + more) * size <= own->bytes)) {
    uint64_t room = count + more;
    if (alone && room < 2 * count) room = 2 * count;
    pb_block *block = pb_buffer_of(c, site, elem, room);
    pb_copy(elem, PB_ITEMS(block), a->p, count);
    if (elem == PB_DATA) ((pb_buffer *)block)->cells = (int64_t)count;
    const pb_block *same = b->b;
    if (same == a->b) {
      /* Both are views of the same elements, which must stay until they are copied. */
      pb_copy(elem, (char *)PB_ITEMS(block) + count * size, b->p, more);
      pb_dec(c, a->b);
      a->b = block;
      a->p = PB_ITEMS(block);
      a->d[0] = rows;
      if (elem == PB_DATA) ((pb_buffer *)block)->cells = (int64_t)(count + more);
      return;
    }
    pb_dec(c, a->b);
    a->b = block;
    a->p = PB_ITEMS(block);
  }
  pb_copy(elem, a->p + count * size, b->p, more);
  if (elem == PB_DATA)
    ((pb_buffer *)a->b)->cells = (int64_t)((uint64_t)(a->p - (char *)PB_ITEMS(a->b)) / 8 + count + more);
  a->d[0] = rows;
}

/* The indices in stable ascending order, NaN last. */
static inline int pb_after(double x, double y) {
  return x > y || (__builtin_isnan(x) && !__builtin_isnan(y));
}
PB_PRECOMPILED I1 pb_argsort(pb_ctx *c, int32_t site, R1 a) {
  int64_t n = a.d[0];
  pb_block *one = pb_buffer_of(c, site, PB_INT, (uint64_t)n), *two = pb_buffer_of(c, site, PB_INT, (uint64_t)n);
  int64_t *from = PB_ITEMS(one), *to = PB_ITEMS(two);
  for (int64_t i = 0; i < n; i++) from[i] = i;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t start = 0; start < n; start += 2 * width) {
      int64_t mid = n - start < width ? n : start + width, end = n - start < 2 * width ? n : start + 2 * width;
      int64_t i = start, j = mid;
      for (int64_t k = start; k < end; k++)
        to[k] = i < mid && (j >= end || !pb_after(a.p[from[i]], a.p[from[j]])) ? from[i++] : from[j++];
    }
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  pb_block *kept = from == PB_ITEMS(one) ? one : two;
  pb_dec(c, kept == one ? two : one);
  return (I1){kept, from, {n}};
}

static inline PB_UNUSED double pb_sum(R1 a) {
  double total = 0.0;
  for (int64_t i = 0; i < a.d[0]; i++) total += a.p[i];
  return total;
}

/* How many sizes an array of a kernel has, and how many bytes an element. */
typedef struct { uint32_t rank, bytes; } pb_shape;
/* Room for so many arrays of a kernel, whose sizes follow each other and may be negative. Each begins with a line of the cache,
   and not where a page of another one does. */
PB_PRECOMPILED pb_block *pb_scratch(
    pb_ctx *c, int32_t site, int arrays, const pb_shape *shapes, const int64_t *d, void **places) {
  uint64_t total = 64;
  for (int at = 0; at < arrays; at++) {
    const pb_shape shape = shapes[at];
    uint64_t bytes = shape.bytes;
    for (uint32_t k = 0; k < shape.rank; k++)
      if (d[k] <= 0) bytes = 0;
    for (uint32_t k = 0; k < shape.rank && bytes > 0; k++)
      if (__builtin_mul_overflow(bytes, (uint64_t)d[k], &bytes) || bytes > UINT64_MAX - 128)
        pb_out_of_memory(c, site, (uint64_t)d[k], shape.bytes);
    d += shape.rank;
    places[at] = (void *)(uintptr_t)(total - 64);
    if (__builtin_add_overflow(total, (bytes + 127) & ~UINT64_C(63), &total))
      pb_out_of_memory(c, site, bytes, 1);
  }
  pb_block *b = pb_buffer_of(c, site, PB_BOOL, total);
  char *const first = (char *)(((uintptr_t)PB_ITEMS(b) + 63) & ~(uintptr_t)63);
  for (int at = 0; at < arrays; at++) places[at] = first + (uintptr_t)places[at];
  return b;
}

/* How many rows of a matrix are copied before a kernel reads them so often: all, or none if it is smaller or memory is short. */
PB_PRECOMPILED int64_t pb_copied_rows(const pb_ctx *c, double again, int64_t rows, int64_t columns, double least) {
  const double bytes = 8.0 * (double)rows * (double)columns;
  return again >= 64 && rows >= 64 && bytes >= least && bytes < (double)(c->limit - c->used) / 4 ? rows : 0;
}

/* Whether one of so many Ints, which lie so far apart, is no place of an array of this size. A place is not negative, and
   the size less one less the place is not either. */
PB_PRECOMPILED int pb_some_outside(const int64_t *at, int64_t stride, int64_t n, int64_t size) {
  const uint64_t last = (uint64_t)size - 1;
  uint64_t signs[4] = {0};
  int64_t i = 0;
  if (stride == 1)
    for (; i + 4 <= n; i += 4)
      for (int k = 0; k < 4; k++) signs[k] |= (uint64_t)at[i + k] | (last - (uint64_t)at[i + k]);
  for (; i < n; i++) signs[0] |= (uint64_t)at[i * stride] | (last - (uint64_t)at[i * stride]);
  return (int)((signs[0] | signs[1] | signs[2] | signs[3]) >> 63);
}

/* Adds numbers to others. */
PB_INLINE void pb_join_to(double *restrict to, const double *restrict more, int64_t count) {
  for (int64_t k = 0; k < count; k++) to[k] += more[k];
}
