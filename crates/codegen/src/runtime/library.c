/* A library that C calls: a context has the constants of its programs, the results of the latest call, and what that
   says of a failure. */
#include <stdbool.h>
#include <stdio.h>

typedef struct {
  pb_ctx run;
  uint64_t stack;
  char text[512];
  /* What is to be let go of before the next call: blocks, or after a failure everything. */
  pb_block *kept[PB_RESULTS];
  int held, has_failed;
  void *memos[PB_UNITS];
} pb_library;

/* What a failure names: places, functions and primitives of the program; and its texts. */
typedef struct {
  const char *const *sites, *const *functions, *const *prims;
  const pb_text *texts;
} pb_names;

static PB_UNUSED pb_library *pb_library_open(void) {
  pb_library *l = calloc(1, sizeof *l);
  if (!l) return 0;
  l->run.limit = UINT64_C(1) << 40;
  l->stack = UINT64_C(4) << 20;
  return l;
}

/* Lets go of everything. */
static void pb_library_clear(pb_library *l) {
  pb_ctx *c = &l->run;
  pb_free_all(c);
  c->used = 0;
  l->held = l->has_failed = 0;
  memset(l->memos, 0, sizeof l->memos);
}

static PB_UNUSED void pb_library_close(pb_library *l) {
  if (!l) return;
  pb_library_clear(l);
  free(l);
}

/* The start of a call. */
static PB_UNUSED void pb_library_begin(pb_library *l, int unit, const pb_type *types, const pb_names *names) {
  pb_ctx *c = &l->run;
  /* Constants count as memory of a call: they make room where little is allowed. */
  if (l->has_failed || c->used > c->limit) pb_library_clear(l);
  while (l->held > 0) pb_dec(c, l->kept[--l->held]);
  c->outside = -1;
  c->memo = l->memos[unit];
  l->text[0] = 0;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  pb_stack(c, here > l->stack ? here - l->stack : 0);
  l->run.types = types;
  l->run.texts = names->texts;
}

/* Room for the constants of a program. */
static PB_UNUSED void pb_library_memo(pb_ctx *c, int unit, uint64_t bytes) {
  if (c->memo) return;
  void *memo = pb_take(c, -1, (bytes + 15) & ~UINT64_C(15));
  c->memo = ((pb_library *)c)->memos[unit] = memset(memo, 0, bytes);
}

/* Has a block as long as the results of this call. */
static PB_UNUSED void pb_library_keep(pb_ctx *c, pb_block *b) {
  pb_library *l = (pb_library *)c;
  l->kept[l->held++] = b;
}

#define PB_F_ARGUMENT 100
#define PB_F_RESULT 101
#define PB_F_NOT_INT 102

/* Fails unless an array that was given can be one. */
static PB_UNUSED void pb_library_sizes(pb_ctx *c, const void *data, const int64_t *size, int rank, int argument) {
  for (int k = 0; k < rank; k++)
    if (size[k] < 0) pb_fail(c, -1, PB_F_ARGUMENT, argument, k, size[k]);
  uint64_t count = pb_count_checked(size, rank);
  if (count >= UINT64_C(1) << 60 || (count && !data)) pb_fail(c, -1, PB_F_ARGUMENT, argument, -1, 0);
}

/* The end of a call that failed: its status, with the words for it. */
static PB_UNUSED int pb_library_failed(pb_library *l, const pb_names *names) {
  const pb_ctx *c = &l->run;
  const int64_t *f = c->fault;
  long long a = f[2], b = f[3], d = f[4];
  const pb_text text = pb_text_of(c, f[0] == PB_F_STOP ? (pb_data)(intptr_t)b : f[0] == PB_F_SIZE && d >= 0 ? (pb_data)(intptr_t)d : 0);
  const int len = text.len < sizeof l->text ? (int)text.len : (int)sizeof l->text;
  size_t room = sizeof l->text;
  int status = 1, n = 0;
  l->has_failed = 1;
  switch (f[0]) {
    case PB_F_INDEX: n = snprintf(l->text, room, "index %lld is out of range: the size is %lld", a, b); break;
    case PB_F_SLICE: n = snprintf(l->text, room, "the slice %lld:%lld is out of range: the size is %lld", a, b, d); break;
    case PB_F_SIZE:
      n = d < 0 ? snprintf(l->text, room, "size %lld where %lld is needed: %s", a, b,
                           d == PB_ROWS ? "the sizes of the rows" : "the sizes of the new row and of the old one")
                : snprintf(l->text, room, "size %lld where %lld is needed: %.*s", a, b, len, text.p);
      break;
    case PB_F_INTS:
      n = snprintf(l->text, room, "no Int is the result of `%s` at %lld, %lld", names->prims[a], b, d);
      break;
    case PB_F_NEGATIVE: n = snprintf(l->text, room, "the size of an array is %lld", a); break;
    case PB_F_NO_INT: n = snprintf(l->text, room, "no Int is nearest to %g", c->real); break;
    case PB_F_STOP: n = snprintf(l->text, room, "%.*s", len, text.p); break;
    case PB_F_MEMORY:
      status = 2;
      n = snprintf(l->text, room, "out of memory: %llu bytes are in use", (unsigned long long)c->used);
      break;
    case PB_F_DEEP:
      status = 3;
      n = snprintf(l->text, room, "calls nest too deep, in `%s`", names->functions[a]);
      break;
    case PB_F_CYCLE: n = snprintf(l->text, room, "the value of `%s` needs itself", names->functions[a]); break;
    case PB_F_SHAPE:
      n = snprintf(l->text, room, "a tangent or cotangent of size %lld for an array of size %lld", b, a);
      break;
    case PB_F_ARGUMENT:
      n = b < 0 ? snprintf(l->text, room, "argument %lld has no data, or sizes too large", a)
                : snprintf(l->text, room, "argument %lld has the size %lld in dimension %lld", a, d, b);
      break;
    case PB_F_RESULT: n = snprintf(l->text, room, "a result has size %lld where %lld was promised", a, b); break;
    case PB_F_NOT_INT: n = snprintf(l->text, room, "%g was given for an Int", c->real); break;
    default: n = snprintf(l->text, room, "a broken promise: this is a bug in Pullback"); break;
  }
  if (f[1] >= 0 && n >= 0 && (size_t)n < room) {
    snprintf(l->text + n, room - (size_t)n, " (%s)", names->sites[f[1]]);
  }
  return status;
}
