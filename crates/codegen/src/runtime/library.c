/* A library that C calls: a context has the constants of its programs, the results of the latest call, and what that
   says of a failure. */
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* Why a call has ended before its time. */
enum { PB_GOES_ON, PB_STOPPED, PB_LATE, PB_UNWANTED };

/* Copies of what was given, which a context holds until its next call. */
typedef struct pb_held { struct pb_held *next; uint64_t bytes; } pb_held;

typedef struct {
  pb_ctx run;
  uint64_t stack;
  char text[512];
  /* Whether a call is under way, where its stack ends, and why it has been ended. */
  int is_running, ended;
  uint64_t low;
  /* How many recursive calls have looked at that. */
  unsigned calls;
  /* Whether somebody has said that it is to stop: another thread, or a handler of a signal. */
  int stops;
  /* How many seconds calls may take, if there is a limit, and when this one has to end. */
  int has_deadline;
  double seconds, end;
  /* Who is told how far calls are, how often, and when next. */
  int (*tell)(void *host, int64_t done, int64_t all);
  void *host;
  double every, next;
  /* How far the outermost loop is: iterations done, all, and whether it runs backward. */
  int64_t stand[3];
  /* What is to be let go of before the next call: blocks, or after a failure everything. */
  pb_block *kept[2 * PB_RESULTS];
  int held, has_failed;
  pb_held *strings;
  void *memos[PB_UNITS];
  /* How the caller computes. */
  uint64_t mode;
} pb_library;

/* What a failure names: places, functions and primitives of the program, what is given; and its texts. */
typedef struct {
  const char *const *sites, *const *functions, *const *prims, *const *given;
  const pb_text *texts;
} pb_names;

static PB_UNUSED pb_library *pb_library_open(void) {
  pb_library *l = calloc(1, sizeof *l);
  if (!l) return 0;
  l->run.limit = UINT64_C(1) << 40;
  l->stack = UINT64_C(4) << 20;
  l->run.stand = l->stand;
  return l;
}

/* Seconds since some time; those of a clock that costs little to look at, which may be late by some milliseconds. */
static PB_UNUSED double pb_library_clock(void) {
  struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static PB_UNUSED void pb_library_stop(pb_library *l) {
  __atomic_store_n(&l->stops, 1, __ATOMIC_SEQ_CST);
  pb_end(&l->run);
}

static PB_UNUSED void pb_library_deadline(pb_library *l, double seconds) {
  l->has_deadline = !(seconds == (double)INFINITY);
  l->seconds = seconds >= 0 ? seconds : 0;
}

static PB_UNUSED void pb_library_progress(const pb_library *l, int64_t *done, int64_t *all) {
  const int64_t of = __atomic_load_n(&l->stand[1], __ATOMIC_RELAXED);
  int64_t now = __atomic_load_n(&l->stand[0], __ATOMIC_RELAXED);
  /* Read while it changes, it may be that of no moment. */
  if (now < 0 || of == 0) now = 0;
  if (of > 0 && now > of) now = of;
  if (done) *done = now;
  if (all) *all = of;
}

static PB_UNUSED void pb_library_watch(
    pb_library *l, int (*tell)(void *host, int64_t done, int64_t all), void *host, double seconds) {
  l->tell = tell;
  l->host = host;
  l->every = seconds >= 0 ? seconds : 0;
}

/* Whether a call is to end. Tells whoever watches how far it is, if it is time for that. */
static PB_UNUSED __attribute__((cold, noinline)) int pb_library_ends(pb_ctx *c) {
  pb_library *l = (pb_library *)c;
  if (__atomic_load_n(&l->stops, __ATOMIC_SEQ_CST)) return l->ended = PB_STOPPED;
  if (!l->has_deadline && !l->tell) return PB_GOES_ON;
  const double now = pb_library_clock();
  if (l->has_deadline && now >= l->end) return l->ended = PB_LATE;
  if (l->tell && now >= l->next) {
    int64_t done, all;
    pb_library_progress(l, &done, &all);
    if (l->tell(l->host, done, all)) return l->ended = PB_UNWANTED;
    /* Somebody who takes long is told less often. */
    l->next = pb_library_clock() + l->every;
  }
  return PB_GOES_ON;
}

/* A place where a call looks whether it is to end; and one where it looks for room on the stack too. */
#define PB_LOOK(c, site) \
  do { \
    if (PB_RARE(__atomic_load_n(&(c)->stop, __ATOMIC_RELAXED) != 0) && pb_library_ends(c)) \
      pb_fail_stop(c, site); \
  } while (0)
#define PB_LOOK_CALL(c, site, function) \
  do { \
    const uint64_t pb_here = (uint64_t)(uintptr_t)__builtin_frame_address(0); \
    if (PB_RARE(pb_here < __atomic_load_n(&(c)->low, __ATOMIC_RELAXED))) pb_library_deep(c, site, function, pb_here); \
  } while (0)
static PB_UNUSED __attribute__((cold, noinline)) void pb_library_deep(pb_ctx *c, int32_t site, int64_t function, uint64_t here) {
  pb_library *l = (pb_library *)c;
  if (here < l->low) pb_fail(c, site, PB_F_DEEP, function, 0, 0);
  /* Between calls there is little: what takes long between them are loops, which look for themselves. */
  if ((++l->calls & 255) && !__atomic_load_n(&l->stops, __ATOMIC_SEQ_CST)) return;
  if (pb_library_ends(c)) pb_fail_stop(c, site);
}

/* Lets go of everything. */
static void pb_library_clear(pb_library *l) {
  pb_ctx *c = &l->run;
  pb_free_all(c);
  c->used = 0;
  l->held = l->has_failed = 0;
  l->strings = 0;
  memset(l->memos, 0, sizeof l->memos);
}

static PB_UNUSED void pb_library_close(pb_library *l) {
  if (!l) return;
  pb_library_clear(l);
  free(l);
}

/* The start of a call: whether there can be one. Who is told how far a call is makes no other in its context. */
static PB_UNUSED int pb_library_begin(pb_library *l, int unit, const pb_type *types, const pb_names *names) {
  pb_ctx *c = &l->run;
  if (l->is_running) {
    snprintf(l->text, sizeof l->text, "a call is under way in this context");
    return 0;
  }
  l->is_running = 1;
  l->ended = PB_GOES_ON;
  /* Constants count as memory of a call: they make room where little is allowed. */
  if (l->has_failed || c->used > c->limit) pb_library_clear(l);
  while (l->held > 0) pb_dec(c, l->kept[--l->held]);
  /* Results may hold what was given. */
  while (l->strings) {
    pb_held *const held = l->strings;
    l->strings = held->next;
    pb_give(c, held, held->bytes);
  }
  c->outside = -1;
  c->memo = l->memos[unit];
  l->text[0] = 0;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  l->low = here > l->stack ? here - l->stack : 0;
  const int looks = l->has_deadline || l->tell;
  const double now = looks ? pb_library_clock() : 0;
  l->end = now + l->seconds;
  l->next = now + l->every;
  __atomic_store_n(&c->stop, looks, __ATOMIC_SEQ_CST);
  __atomic_store_n(&c->low, looks ? UINT64_MAX : l->low, __ATOMIC_SEQ_CST);
  /* Whoever says at the same time that the call is to stop sets the two after this. */
  if (__atomic_load_n(&l->stops, __ATOMIC_SEQ_CST)) pb_end(c);
  l->run.types = types;
  l->run.texts = names->texts;
  l->mode = pb_flush();
  return 1;
}

/* Its end. That it has been stopped is forgotten with it. */
static PB_UNUSED void pb_library_end(pb_library *l) {
  if (l->ended == PB_STOPPED) __atomic_store_n(&l->stops, 0, __ATOMIC_SEQ_CST);
  for (int k = 0; k < 3; k++) __atomic_store_n(&l->stand[k], 0, __ATOMIC_RELAXED);
  l->is_running = 0;
  pb_flush_ends(l->mode);
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

/* Sizes that are wrong: negative, or with more elements than memory holds, or without any; parts of one array that
   differ; what the declared sizes, as far as they are known, say otherwise; and what is no String. */
#define PB_F_BELOW 100
#define PB_F_RESULT 101
#define PB_F_NOT_INT 102
#define PB_F_LARGE 103
#define PB_F_NO_DATA 104
#define PB_F_PARTS 105
#define PB_F_DECLARED 106
#define PB_F_NO_SIZE 107
#define PB_F_DIRECTION 108
#define PB_F_STRING 109

/* No array has more bytes: addresses of processes are smaller. */
#define PB_MOST_BYTES (sizeof(void *) < 8 ? UINT64_C(1) << 31 : UINT64_C(1) << 47)

/* Fails unless an array that is given can be one. Rows that are absent have sizes too. */
static PB_UNUSED void pb_library_sizes(pb_ctx *c, const void *data, const int64_t *size, int rank, uint64_t bytes, int given) {
  int has_elements = 1;
  for (int k = 0; k < rank; k++)
    if (size[k] < 0) pb_fail(c, -1, PB_F_BELOW, given, k, size[k]);
  for (int k = 0; k < rank; k++) {
    if (size[k] == 0) has_elements = 0;
    else if (__builtin_mul_overflow(bytes, (uint64_t)size[k], &bytes) || bytes > PB_MOST_BYTES) pb_fail(c, -1, PB_F_LARGE, given, 0, 0);
  }
  if (has_elements && !data) pb_fail(c, -1, PB_F_NO_DATA, given, 0, 0);
}

/* The size that an array of Ints says at a place; -1, which is none, where it has no such element. */
static PB_UNUSED int64_t pb_library_told(const int64_t *data, int64_t size, int at) { return at < size ? data[at] : -1; }

/* Fails unless two parts of an array have one size. */
static PB_UNUSED void pb_library_alike(pb_ctx *c, int64_t first, int64_t other, int given) {
  if (first != other) pb_fail(c, -1, PB_F_PARTS, given, first, other);
}

/* What a size is to be: no Int, if it does not fit. */
typedef struct { int64_t value; int overflows; } pb_library_sum;

static PB_UNUSED void pb_library_add(pb_library_sum *sum, int64_t product, const int64_t *factors, int count) {
  for (int k = 0; k < count; k++) sum->overflows |= __builtin_mul_overflow(product, factors[k], &product);
  sum->overflows |= __builtin_add_overflow(sum->value, product, &sum->value);
}

/* Fails unless a size is this. */
static PB_UNUSED void pb_library_fits(pb_ctx *c, int64_t size, pb_library_sum wanted, int given) {
  if (wanted.overflows) pb_fail(c, -1, PB_F_NO_SIZE, given, size, 0);
  if (size != wanted.value) pb_fail(c, -1, PB_F_DECLARED, given, size, wanted.value);
}

/* The same of a tangent or cotangent. */
static PB_UNUSED void pb_library_moves(pb_ctx *c, int64_t size, pb_library_sum wanted, int given) {
  if (wanted.overflows) pb_fail(c, -1, PB_F_NO_SIZE, given, size, 0);
  if (size != wanted.value) pb_fail(c, -1, PB_F_DIRECTION, given, size, wanted.value);
}

/* The words for an argument that does not fit: those of the command line, whose codes they begin with. */
static PB_UNUSED int pb_library_misfit(const int64_t *f, const pb_names *names, char *text, size_t room) {
  const char *given = names->given[f[2]];
  const long long b = f[3], d = f[4];
  if (f[0] == PB_F_PARTS)
    return snprintf(text, room, "E0804: the parts of `%s` have %lld and %lld elements, and make no array together", given, b, d);
  if (f[0] == PB_F_DIRECTION)
    return snprintf(text, room, "E0713: `%s` has another shape than the value it belongs to: it has size %lld where the size must be %lld", given, b, d);
  const int n = snprintf(text, room, "E0804: the value of `%s` does not fit its parameter: ", given);
  if (n < 0 || (size_t)n >= room) return n;
  text += n;
  room -= (size_t)n;
  switch (f[0]) {
    case PB_F_BELOW: return n + snprintf(text, room, "it has size %lld in dimension %lld", d, b);
    case PB_F_LARGE: return n + snprintf(text, room, "it has more elements than memory holds");
    case PB_F_NO_DATA: return n + snprintf(text, room, "it has elements, but no data");
    case PB_F_STRING:
      return n + (b == 0 ? snprintf(text, room, "it has a String of %lld bytes", d)
                         : snprintf(text, room, b == 1 ? "it has a String with bytes, but no data" : "it has a String that is not UTF-8"));
    case PB_F_NO_SIZE: return n + snprintf(text, room, "it has size %lld where the size must be one that no Int is", b);
    default: return n + snprintf(text, room, "it has size %lld where the size must be %lld", b, d);
  }
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
  pb_library_end(l);
  switch (f[0]) {
    case PB_F_INDEX: n = snprintf(l->text, room, "index %lld is out of range: the size is %lld", a, b); break;
    case PB_F_SLICE: n = snprintf(l->text, room, "the slice %lld:%lld is out of range: the size is %lld", a, b, d); break;
    case PB_F_SIZE:
      n = d < 0 ? snprintf(l->text, room, "E0703: %s differ: %lld and %lld",
                           d == PB_ROWS ? "the sizes of the rows" : "the sizes of the new row and of the old one", a, b)
                : snprintf(l->text, room, "E0703: %.*s differ: %lld and %lld", len, text.p, a, b);
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
    case PB_F_TIME:
      status = 4;
      n = l->ended == PB_LATE ? snprintf(l->text, room, "E0711: the time limit of %g s is over", l->seconds)
                              : snprintf(l->text, room, "the call was stopped");
      break;
    case PB_F_CYCLE: n = snprintf(l->text, room, "the value of `%s` needs itself", names->functions[a]); break;
    case PB_F_SHAPE:
      n = snprintf(l->text, room, "E0713: a tangent or cotangent has another shape than the value it belongs to: it has size %lld where the size must be %lld", b, a);
      break;
    case PB_F_BELOW:
    case PB_F_LARGE:
    case PB_F_NO_DATA:
    case PB_F_PARTS:
    case PB_F_DECLARED:
    case PB_F_DIRECTION:
    case PB_F_STRING:
    case PB_F_NO_SIZE: n = pb_library_misfit(f, names, l->text, room); break;
    case PB_F_RESULT: n = snprintf(l->text, room, "a result has size %lld where %lld was promised", a, b); break;
    case PB_F_NOT_INT: n = snprintf(l->text, room, "%g was given for an Int", c->real); break;
    default: n = snprintf(l->text, room, "a broken promise: this is a bug in Pullback"); break;
  }
  if (f[1] >= 0 && n >= 0 && (size_t)n < room) {
    snprintf(l->text + n, room - (size_t)n, " (%s)", names->sites[f[1]]);
  }
  return status;
}
