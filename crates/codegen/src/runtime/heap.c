/* Memory of one run: counted blocks, all freed at once when the run ends, however it ends. */
#ifdef __linux__
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include <sys/mman.h>
#endif
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of math.h what is used: to read all of it takes a compiler as long as to compile a small program. */
#ifndef INFINITY
#define INFINITY (__builtin_inff ())
#endif
#ifndef NAN
#define NAN (__builtin_nanf (""))
#endif
extern double exp(double);
extern double expm1(double);
extern double log(double);
extern double log1p(double);
extern double cbrt(double);
extern double sqrt(double);
extern double sin(double);
extern double cos(double);
extern double tan(double);
extern double asin(double);
extern double acos(double);
extern double atan(double);
extern double sinh(double);
extern double cosh(double);
extern double tanh(double);
extern double asinh(double);
extern double acosh(double);
extern double atanh(double);
extern double erf(double);
extern double erfc(double);
extern double lgamma(double);
extern double fabs(double);
extern double floor(double);
extern double ceil(double);
extern double round(double);
extern double trunc(double);
extern double pow(double, double);
extern double atan2(double, double);
extern double hypot(double, double);
extern double fmod(double, double);
extern double copysign(double, double);
extern double lgamma_r(double, int *);

/* What there is once in the code of a program. Where that is several translation units, one of them has it, and the
   others (PB_BESIDE) name it. */
#ifndef PB_ONE
#define PB_ONE static
#endif

#define PB_COLD __attribute__((cold, noinline, noreturn))
#define PB_UNUSED __attribute__((unused))
/* What is called wherever it is used: much is done in it, or it is used in many places. */
#define PB_CALLED static PB_UNUSED __attribute__((noinline))
/* What is compiled with Pullback itself: a program that runs in its process calls it there, by a table. It takes nothing
   whose layout hangs on the program or on the processor, and is not what a loop does each time in a few nanoseconds. */
#define PB_PRECOMPILED PB_CALLED
#define PB_INLINE static inline PB_UNUSED __attribute__((always_inline))
#define PB_RARE(x) __builtin_expect(!!(x), 0)
/* A number that is rounded before anything is added to it. */
#if defined(__clang__)
#if __has_builtin(__arithmetic_fence)
#define PB_ROUNDED(x) __arithmetic_fence(x)
#endif
#elif defined(__GNUC__) && __GNUC__ >= 12
#define PB_ROUNDED(x) __builtin_assoc_barrier(x)
#endif
#ifndef PB_ROUNDED
#define PB_ROUNDED(x) (x)
#endif
/* Says that the iterations of a loop stay what they are. */
#ifdef __GNUC__
#define PB_ONE_BY_ONE(i) __asm__("" : "+r"(i))
#else
#define PB_ONE_BY_ONE(i) ((void)0)
#endif
/* Says that nothing is known of what a pointer points to. With AVX-512, gcc 12 copies 1, 1, 1, 0, … as 1, 1, 1, 1, …
   where it knows the numbers. */
#define PB_UNKNOWN(p) PB_ONE_BY_ONE(p)

/* What an array holds, and what a field of a constructor is. Arrays of Strings are said to hold data values. */
enum { PB_REAL, PB_INT, PB_BOOL, PB_STR, PB_UNIT, PB_DATA };

/* A counted block: the cell of a data value, whose fields follow, or the elements of arrays. */
typedef struct pb_block {
  int64_t count;
  uint32_t kind; /* the data type of a cell, or PB_ARRAY */
  uint32_t tag;  /* the constructor of a cell, or what the elements are */
} pb_block;

#define PB_ARRAY UINT32_MAX

/* A data value: a cell; a tag without fields, or with one small Int (odd); or 0 where nothing looks at it. */
typedef pb_block *pb_data;

/* A block of elements. */
typedef struct {
  pb_block head;
  uint64_t bytes; /* of room for elements */
  int64_t cells;  /* how many elements are data values */
} pb_buffer;

/* A String that a program has made, as a value of no other type is; its bytes follow. One that the program is given
   as a literal is a tag, its place in `texts`. */
typedef struct {
  pb_buffer buffer;
  int64_t len;
} pb_string;

/* The bytes of a String. */
typedef struct { uint64_t len; const char *p; } pb_text;

/* A field of a constructor; an unseen array is one that the tangents which programs see have nothing for. */
typedef struct { uint8_t elem, rank; uint16_t at; uint32_t data : 31, unseen : 1; } pb_field;
typedef struct { uint32_t fields, words; const pb_field *field; } pb_con;
typedef struct { uint32_t cons, tangent, is_tangent, holds_real; const pb_con *con; } pb_type;

/* A block that is too large for the lists of free ones. */
typedef struct pb_large { struct pb_large *prev, *next, *spare; uint64_t bytes; } pb_large;

/* The largest block that is cut from a chunk; a tool that looks for mistakes sees more where it is 0. */
#ifndef PB_SMALL
#define PB_SMALL 512
#endif
/* A chunk has blocks of one size, and lies where a multiple of its size is. What nothing holds any more goes back to its
   chunk: so what is taken one after the other lies close together, in however many orders it was given back. */
#define PB_CHUNK 65536
typedef struct pb_chunk {
  struct pb_chunk *next, *next_open; /* all of a run; those of its size that have room, and from which nothing is taken now */
  void *free;                        /* its free blocks, while nothing is taken from it */
  char *fresh;                       /* where blocks begin that nothing has had yet, if there is one */
  uint32_t size, is_open, count;     /* how many times 16 bytes a block has; how many free blocks there are there */
} pb_chunk;
#define PB_FIRST ((sizeof(pb_chunk) + 15) / 16 * 16)
#define PB_SIZES (PB_SMALL / 16 + 1)
/* Blocks of up to this size that nothing holds any more are kept for the next of their size, up to so many bytes. */
#define PB_KEPT (PB_SMALL ? UINT64_C(1) << 20 : 0)
#define PB_ALL_KEPT (UINT64_C(8) << 20)
/* Those from this size on are kept for later runs too, up to so many bytes. */
#define PB_POOLED (UINT64_C(1) << 14)
#define PB_POOL (PB_SMALL ? UINT64_C(64) << 20 : 0)
/* From which size on blocks lie on large pages, and how large these are. */
#define PB_HUGE (UINT64_C(4) << 20)
#define PB_PAGE (UINT64_C(2) << 20)

typedef struct pb_ctx {
  uint64_t used, limit;
  void *free[PB_SIZES];                           /* of the chunk from which blocks of a size are taken */
  pb_chunk *current[PB_SIZES], *open[PB_SIZES], *chunks;
  pb_large large;
  pb_large *spare[64];
  uint64_t kept;
  volatile int stop;
  volatile uint64_t low; /* where the stack ends that calls may use; all of it, once the run is to stop */
  char *crew; /* the contexts of its threads, so many bytes apart */
  uint64_t crew_size, crew_step;
  char crew_changes;
  uint64_t threads;
  int in_crew;  /* whether it is that of a thread */
  void *copies; /* what a thread has of its own */
  uint64_t may_copy;
  double worth;
  int64_t *stand;
  int32_t outside;
  const pb_type *types;
  const pb_text *texts;
  void (*tell)(void *, const char *, uint64_t);
  uint64_t (*show)(double, char *); /* writes a number with the fewest digits, if the host does */
  void *host;
  void *memo;
  int64_t fault[5];
  double real;
  double (*call1)(uint32_t, double);
  double (*call2)(uint32_t, double, double);
  double (*call_real_int)(uint32_t, double, int64_t);
  double (*call_int_real)(uint32_t, int64_t, double);
  jmp_buf jump;
} pb_ctx;

/* A constant: whether it is known, or being made, and its value. */
#define PB_MEMO(type, at) ((type *)((char *)c->memo + (at)))

/* Those who say that a run is to stop tell its threads, while these are there. */
static void pb_crew_enter(pb_ctx *c) {
  while (__atomic_test_and_set(&c->crew_changes, __ATOMIC_ACQUIRE)) {}
}

static void pb_crew_leave(pb_ctx *c) { __atomic_clear(&c->crew_changes, __ATOMIC_RELEASE); }

/* Has a run stop: where it looks whether it is to, and where a function that recurs looks for room on the stack. */
static void pb_end(pb_ctx *c) {
  __atomic_store_n(&c->stop, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&c->low, UINT64_MAX, __ATOMIC_SEQ_CST);
}

/* Says where the stack ends, unless the run is to stop: somebody may say so at any time. */
static PB_UNUSED void pb_stack(pb_ctx *c, uint64_t low) {
  __atomic_store_n(&c->low, low, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&c->stop, __ATOMIC_SEQ_CST)) pb_end(c);
}

static void pb_crew_stop(pb_ctx *c) {
  for (uint64_t k = 0; k < c->crew_size; k++) pb_end((pb_ctx *)(c->crew + k * c->crew_step));
}

/* An outermost loop begins or has ended, or has done so many iterations: stored where somebody else may read it. */
PB_PRECOMPILED void pb_tell_all(pb_ctx *c, int64_t all, int64_t counted) {
  const int64_t stand[3] = {0, all, counted};
  for (int k = 0; c->stand && k < 3; k++) __atomic_store_n(&c->stand[k], stand[k], __ATOMIC_RELAXED);
}

static inline PB_UNUSED void pb_tell_done(pb_ctx *c, int64_t done) {
  if (PB_RARE(c->stand != 0)) __atomic_store_n(c->stand, done, __ATOMIC_RELAXED);
}

enum {
  PB_F_INDEX = 1, PB_F_SLICE, PB_F_SIZE, PB_F_INTS, PB_F_NEGATIVE, PB_F_NO_INT, PB_F_STOP, PB_F_MEMORY,
  PB_F_DEEP, PB_F_TIME, PB_F_CYCLE, PB_F_SHAPE, PB_F_TAGS, PB_F_BUG
};

static PB_COLD void pb_fail(pb_ctx *c, int32_t site, int kind, int64_t a, int64_t b, int64_t d) {
  c->fault[0] = kind;
  c->fault[1] = site;
  c->fault[2] = a;
  c->fault[3] = b;
  c->fault[4] = d;
  longjmp(c->jump, 1);
}

/* The run is to stop. */
static PB_COLD PB_UNUSED void pb_fail_stop(pb_ctx *c, int32_t site) { pb_fail(c, site, PB_F_TIME, 0, 0, 0); }

/* There is no room for a call of this function, or it is not to be made as the run is to stop. */
static PB_COLD PB_UNUSED void pb_fail_call(pb_ctx *c, int32_t site, int64_t function) {
  pb_fail(c, site, c->low == UINT64_MAX ? PB_F_TIME : PB_F_DEEP, function, 0, 0);
}

static PB_COLD PB_UNUSED void pb_fail_index(pb_ctx *c, int32_t site, int64_t index, int64_t size) {
  pb_fail(c, site, PB_F_INDEX, index, size, 0);
}

static PB_COLD PB_UNUSED void pb_fail_no_int(pb_ctx *c, int32_t site, double x) {
  c->real = x;
  pb_fail(c, site, PB_F_NO_INT, 0, 0, 0);
}

/* What an array is whose elements nothing looks at. */
#ifdef PB_BESIDE
extern pb_block pb_undef;
#else
PB_ONE pb_block pb_undef = {INT64_C(1) << 60, PB_ARRAY, PB_UNIT};
#endif

/* The head of an array whose elements are somebody else's: of this one too nobody is the last holder. Whoever holds it
   counts here, and not where other threads count. */
#define PB_LENT(elem) {{INT64_C(1) << 60, PB_ARRAY, elem}, 0, 0}
static inline PB_UNUSED int pb_is_lent(const pb_block *b) { return b->count > INT64_C(1) << 59; }

static PB_COLD void pb_out_of_memory(pb_ctx *c, int32_t site, uint64_t count, uint64_t size) {
  pb_fail(c, site, PB_F_MEMORY, (int64_t)count, (int64_t)c->used, (int64_t)size);
}

/* Large blocks that no run has: to get one anew from the system costs as much as to fill it. They are in one list, the
   latest first, and in one of those of their size, which has four for each power of two. Whether they will be given back at the
   end is noted too. */
typedef struct {
  pb_large all, *sized[256];
  uint64_t bytes;
  char is_taken, frees_at_end;
} pb_large_blocks;
#ifdef PB_BESIDE
extern pb_large_blocks pb_pool;
#else
PB_ONE pb_large_blocks pb_pool = {.all = {&pb_pool.all, &pb_pool.all, 0, 0}};
#endif

static void pb_pool_enter(void) {
  while (__atomic_test_and_set(&pb_pool.is_taken, __ATOMIC_ACQUIRE)) {}
}

static void pb_pool_leave(void) { __atomic_clear(&pb_pool.is_taken, __ATOMIC_RELEASE); }

/* The list of blocks of this size, which is not small. */
static int pb_pool_list(uint64_t bytes) {
  const int top = 63 - __builtin_clzll(bytes);
  return top * 4 + (int)(bytes >> (top - 2) & 3);
}

/* Takes a block out, to which a link in the list of its size points. */
static void pb_pool_out(pb_large **link) {
  pb_large *large = *link;
  *link = large->spare;
  large->prev->next = large->next;
  large->next->prev = large->prev;
  pb_pool.bytes -= large->bytes;
}

/* A block that has room for so many bytes, if there is one: of those that a run keeps by their size it has no more, of
   others not many more. */
static pb_large *pb_pool_take(uint64_t bytes) {
  if (bytes < PB_POOLED || bytes > PB_POOL) return 0;
  const uint64_t more = bytes > PB_KEPT ? bytes / 4 : 0;
  pb_large *large = 0;
  pb_pool_enter();
  for (int list = pb_pool_list(bytes), last = list + 1; list <= last && !large; list++) {
    pb_large **link = &pb_pool.sized[list];
    for (int tries = 0; *link && tries < 16 && !large; tries++) {
      if ((*link)->bytes >= bytes && (*link)->bytes - bytes <= more) {
        large = *link;
        pb_pool_out(link);
      } else {
        link = &(*link)->spare;
      }
    }
  }
  pb_pool_leave();
  return large;
}

/* Gives all of them back to the system, when the library is unloaded or the process ends. It is called only where a block
   has been given: in a library with several targets, by the code of the target that runs. */
static void pb_pool_free(void) {
  for (pb_large *large = pb_pool.all.next; large != &pb_pool.all;) {
    pb_large *next = large->next;
    free(large);
    large = next;
  }
  pb_pool.all.next = pb_pool.all.prev = &pb_pool.all;
  memset(pb_pool.sized, 0, sizeof pb_pool.sized);
  pb_pool.bytes = 0;
}

/* Keeps a block, in place of those that nothing has taken for the longest time. */
PB_PRECOMPILED void pb_pool_give(pb_large *large) {
  if (large->bytes < PB_POOLED || large->bytes > PB_POOL) return free(large);
  pb_pool_enter();
  if (!pb_pool.frees_at_end) pb_pool.frees_at_end = !atexit(pb_pool_free);
  pb_large **first = &pb_pool.sized[pb_pool_list(large->bytes)];
  large->spare = *first;
  *first = large;
  large->prev = &pb_pool.all;
  large->next = pb_pool.all.next;
  large->next->prev = pb_pool.all.next = large;
  pb_pool.bytes += large->bytes;
  while (pb_pool.bytes > PB_POOL) {
    pb_large *oldest = pb_pool.all.prev, **link = &pb_pool.sized[pb_pool_list(oldest->bytes)];
    while (*link != oldest) link = &(*link)->spare;
    pb_pool_out(link);
    free(oldest);
  }
  pb_pool_leave();
}

static void pb_chunk_opens(pb_ctx *c, pb_chunk *chunk) {
  if (chunk->is_open) return;
  chunk->is_open = 1;
  chunk->next_open = c->open[chunk->size];
  c->open[chunk->size] = chunk;
}

/* How many blocks from here on to the end of a chunk there are. */
static inline uint64_t pb_blocks(const pb_chunk *chunk, const char *from) {
  return from ? (uint64_t)((const char *)chunk + PB_CHUNK - from) / (16 * chunk->size) : 0;
}

/* Whether nothing holds any block of a chunk, from which nothing is taken now. */
static int pb_is_free(const pb_chunk *chunk) {
  return chunk->count + pb_blocks(chunk, chunk->fresh) == pb_blocks(chunk, (const char *)chunk + PB_FIRST);
}

/* From now on blocks are taken from this chunk: in the order in which they lie, if nothing holds any. */
static void pb_chunk_begins(pb_chunk *chunk) {
  char *const first = (char *)chunk + PB_FIRST;
  if (pb_is_free(chunk)) {
    chunk->free = 0;
    chunk->fresh = first;
  } else if (chunk->count > pb_blocks(chunk, first) / 4) {
    for (int line = 0; line < PB_CHUNK; line += 64) __builtin_prefetch((char *)chunk + line, 1);
  }
  chunk->count = 0;
}

/* A block of another chunk, or one that nothing has had yet. */
PB_PRECOMPILED void *pb_take_small(pb_ctx *c, int32_t site, uint64_t bytes) {
  const uint32_t size = (uint32_t)(bytes / 16);
  pb_chunk *chunk = c->current[size];
  if (!chunk || !chunk->fresh) {
    chunk = c->open[size];
    if (chunk) {
      c->open[size] = chunk->next_open;
      chunk->is_open = 0;
      pb_chunk_begins(chunk);
    } else {
      chunk = aligned_alloc(PB_CHUNK, PB_CHUNK);
      if (!chunk) pb_out_of_memory(c, site, bytes, 1);
      *chunk = (pb_chunk){c->chunks, 0, 0, (char *)chunk + PB_FIRST, size, 0, 0};
      c->chunks = chunk;
    }
    c->current[size] = chunk;
    void **const block = chunk->free;
    if (block) {
      chunk->free = 0;
      c->free[size] = *block;
      return block;
    }
  }
  /* A few at once, in the order in which they lie. */
  char *const block = chunk->fresh, *const end = (char *)chunk + PB_CHUNK;
  char *last = block;
  for (int k = 0; k < 32 && (uint64_t)(end - last) >= 2 * bytes; k++, last += bytes) *(void **)last = last + bytes;
  *(void **)last = 0;
  c->free[size] = *(void **)block;
  chunk->fresh = (uint64_t)(end - last) >= 2 * bytes ? last + bytes : 0;
  return block;
}

/* Gives a block back to a chunk from which nothing is taken now. */
PB_PRECOMPILED void pb_give_back(pb_ctx *c, void *block) {
  pb_chunk *const chunk = (pb_chunk *)((uintptr_t)block & ~(uintptr_t)(PB_CHUNK - 1));
  *(void **)block = chunk->free;
  chunk->free = block;
  chunk->count++;
  pb_chunk_opens(c, chunk);
}

PB_PRECOMPILED void *pb_take_slow(pb_ctx *c, int32_t site, uint64_t bytes) {
  if (bytes <= PB_KEPT) {
    pb_large **spare = &c->spare[bytes / 64 % 64];
    for (int tries = 0; *spare && tries < 4; tries++, spare = &(*spare)->spare) {
      pb_large *large = *spare;
      if (large->bytes != bytes) continue;
      *spare = large->spare;
      c->kept -= bytes;
      return large + 1;
    }
  }
  /* The head of elements ends where a line of the cache begins. What is very large lies on pages that are. */
  const uint64_t line = bytes < PB_HUGE ? 64 : PB_PAGE, whole = (bytes + 32 + line - 1) & ~(line - 1);
  pb_large *large = pb_pool_take(bytes);
  if (!large) {
    large = aligned_alloc(line, whole);
    if (!large) pb_out_of_memory(c, site, bytes, 1);
#ifdef MADV_HUGEPAGE
    if (bytes >= PB_HUGE) madvise(large, whole, MADV_HUGEPAGE);
#endif
    large->bytes = bytes;
  }
  large->next = c->large.next;
  large->prev = &c->large;
  if (large->next) large->next->prev = large;
  c->large.next = large;
  return large + 1;
}

/* A block of this many bytes, a multiple of 16. */
static inline void *pb_take(pb_ctx *c, int32_t site, uint64_t bytes) {
  if (PB_RARE(bytes > c->limit - c->used)) pb_out_of_memory(c, site, bytes, 1);
  c->used += bytes;
  if (bytes <= PB_SMALL) {
    void *block = c->free[bytes / 16];
    if (block) {
      c->free[bytes / 16] = *(void **)block;
      return block;
    }
    return pb_take_small(c, site, bytes);
  }
  return pb_take_slow(c, site, bytes);
}

static inline void pb_give(pb_ctx *c, void *block, uint64_t bytes) {
  c->used -= bytes;
  if (bytes <= PB_SMALL) {
    if (((uintptr_t)block ^ (uintptr_t)c->current[bytes / 16]) >= PB_CHUNK) return pb_give_back(c, block);
    *(void **)block = c->free[bytes / 16];
    c->free[bytes / 16] = block;
    return;
  }
  pb_large *large = (pb_large *)block - 1;
  if (bytes <= PB_KEPT && c->kept + bytes <= PB_ALL_KEPT) {
    pb_large **spare = &c->spare[bytes / 64 % 64];
    large->spare = *spare;
    *spare = large;
    c->kept += bytes;
    return;
  }
  large->prev->next = large->next;
  if (large->next) large->next->prev = large->prev;
  pb_pool_give(large);
}

/* Lets go of all large blocks, those that are kept too. */
static void pb_free_large(pb_ctx *c) {
  while (c->large.next) {
    pb_large *large = c->large.next;
    c->large.next = large->next;
    pb_pool_give(large);
  }
  memset(c->spare, 0, sizeof c->spare);
  c->kept = 0;
}

/* Lets go of all memory. */
static PB_UNUSED void pb_free_all(pb_ctx *c) {
  while (c->chunks) {
    pb_chunk *chunk = c->chunks;
    c->chunks = chunk->next;
    free(chunk);
  }
  memset(c->free, 0, sizeof c->free);
  memset(c->current, 0, sizeof c->current);
  memset(c->open, 0, sizeof c->open);
  pb_free_large(c);
}

static inline int pb_is_cell(pb_data d) { return d && !((uintptr_t)d & 1); }
static inline pb_data pb_tag_only(uint32_t tag) { return (pb_data)(((uintptr_t)tag << 1) | 1); }
static inline uint32_t pb_tag(pb_data d) {
  return (uintptr_t)d & 1 ? (uint32_t)((uintptr_t)d >> 1) : d->tag;
}
#define PB_WORDS(d) ((int64_t *)((d) + 1))

static inline uint64_t pb_cell_bytes(uint64_t words) { return (16 + words * 8 + 15) & ~UINT64_C(15); }

/* A cell with room for its fields. */
static inline PB_UNUSED pb_data pb_cell(pb_ctx *c, int32_t site, uint32_t type, uint32_t tag, uint64_t words) {
  pb_data d = pb_take(c, site, pb_cell_bytes(words));
  d->count = 1;
  d->kind = type;
  d->tag = tag;
  return d;
}

/* A constructor with one Int: it is in the word itself, above the tag, if there is room for it. */
static __attribute__((cold, noinline)) PB_UNUSED pb_data pb_far_int(pb_ctx *c, int32_t site, uint32_t type, uint32_t tag, int64_t n) {
  pb_data d = pb_cell(c, site, type, tag, 1);
  *PB_WORDS(d) = n;
  return d;
}
static inline PB_UNUSED pb_data pb_int_cell(pb_ctx *c, int32_t site, uint32_t type, uint32_t tag, int64_t n) {
  const uint64_t high = (uint64_t)n << 33;
  if (PB_RARE(sizeof(void *) < 8 || (int64_t)high >> 33 != n)) return pb_far_int(c, site, type, tag, n);
  return (pb_data)(uintptr_t)(high | (uint64_t)tag << 1 | 1);
}
static inline PB_UNUSED int64_t pb_int_of(pb_data d) { return (uintptr_t)d & 1 ? (int64_t)(uintptr_t)d >> 33 : *PB_WORDS(d); }

/* Lets go of a block that nothing holds any more; what only it holds is put on a list, never recursed into. */
static inline void pb_let_go(pb_block **list, pb_block *b) {
  if (b && --b->count == 0) {
    b->count = (int64_t)(intptr_t)*list;
    *list = b;
  }
}

PB_PRECOMPILED void pb_free(pb_ctx *c, pb_block *b) {
  pb_block *list = b;
  b->count = 0;
  while (list) {
    b = list;
    list = (pb_block *)(intptr_t)b->count;
    if (b->kind == PB_ARRAY) {
      pb_buffer *buffer = (pb_buffer *)b;
      pb_data *items = (pb_data *)(buffer + 1);
      for (int64_t i = 0; i < buffer->cells; i++)
        if (pb_is_cell(items[i])) pb_let_go(&list, items[i]);
      pb_give(c, buffer, sizeof(pb_buffer) + buffer->bytes);
      continue;
    }
    const pb_con *con = &c->types[b->kind].con[b->tag];
    int64_t *words = PB_WORDS(b);
    for (uint32_t k = 0; k < con->fields; k++) {
      const pb_field *field = &con->field[k];
      pb_block *part = (pb_block *)(intptr_t)words[field->at];
      if (field->rank > 0) {
        pb_let_go(&list, part);
      } else if ((field->elem == PB_DATA || field->elem == PB_STR) && pb_is_cell(part)) {
        pb_let_go(&list, part);
      }
    }
    pb_give(c, b, pb_cell_bytes(con->words));
  }
}

static inline PB_UNUSED void pb_inc(pb_block *b) { if (b) b->count++; }
static inline PB_UNUSED void pb_dec(pb_ctx *c, pb_block *b) {
  if (b && --b->count == 0) pb_free(c, b);
}
/* The same of an array of numbers. */
PB_CALLED void pb_free_plain(pb_ctx *c, pb_block *b) {
  pb_give(c, b, sizeof(pb_buffer) + ((pb_buffer *)b)->bytes);
}
static inline PB_UNUSED void pb_dec_plain(pb_ctx *c, pb_block *b) {
  if (b && --b->count == 0) pb_free_plain(c, b);
}
/* The same where a run comes once: a call is less code. */
PB_CALLED void pb_dec_plain_once(pb_ctx *c, pb_block *b) { pb_dec_plain(c, b); }
static inline PB_UNUSED void pb_inc_data(pb_data d) { if (pb_is_cell(d)) d->count++; }
static inline PB_UNUSED void pb_dec_int(pb_ctx *c, pb_data d) {
  if (PB_RARE(pb_is_cell(d)) && --d->count == 0) pb_give(c, d, pb_cell_bytes(1));
}
static inline PB_UNUSED void pb_dec_data(pb_ctx *c, pb_data d) {
  if (pb_is_cell(d) && --d->count == 0) pb_free(c, d);
}

/* The bytes of a String; of one that nothing looks at there are none. */
static inline PB_UNUSED pb_text pb_text_of(const pb_ctx *c, pb_data d) {
  if (!d) return (pb_text){0, ""};
  if ((uintptr_t)d & 1) return c->texts[pb_tag(d)];
  const pb_string *s = (const pb_string *)d;
  return (pb_text){(uint64_t)s->len, (const char *)(s + 1)};
}
