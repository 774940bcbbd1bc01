/* Loops over anything, on several threads: their iterations wait for each other only by a few numbers at their end. */

/* A number that an iteration leaves. */
typedef union { double r; int64_t i; } pb_word;

/* What the frame of such a loop begins with: what iterations leave, from this one on, and whether each iteration comes
   after the one before it. Then come the arrays that are made row by row, the accumulators of which each iteration has a
   part, and those that all add to. */
typedef struct { pb_word *left; int64_t first, is_ordered; } pb_left;

/* An accumulator: its numbers. */
typedef struct { double *p; uint64_t count; } pb_sums;

/* What is done with what iterations have left, in order. */
typedef void pb_fold(void *frame, int64_t from, int64_t to);

/* Such a loop: its place in the source, how many numbers an iteration leaves, how many arrays are made row by row, how
   many accumulators there are of both kinds, whether it collects values with cells, whether it is outside all others, and
   how many statements an iteration runs, roughly. */
typedef struct {
  pb_stretch *part;
  pb_fold *fold;
  pb_known *known;
  pb_ending *end;
  int32_t site, words, builds, sums, adds, keeps, is_outermost, weight;
} pb_loop;

/* Where pieces add up: each in a place for all accumulators that all iterations add to, which has zeros before. There
   are none (`piece` is 0) where that would take long beside what iterations do. */
typedef struct { int64_t piece, total; double *own; } pb_adds;

/* A function that is called as it is. */
#if defined(__GNUC__) && !defined(__clang__)
#define PB_APART __attribute__((noinline, noipa))
#else
#define PB_APART __attribute__((noinline))
#endif

/* Pieces take a place for sums and a call each: at most as much work as this part of what their iterations do, where a
   number of a place counts as a statement, and the call as so many. */
#define PB_PIECE 4
#define PB_PLACE 256
/* Room for what iterations leave that are run here. */
#define PB_LEFT 256
/* Nanoseconds after which it is known whether a loop is worth threads, and how long it is to go on for that. */
#define PB_TRIAL 100000
#define PB_WORTHY 200000.0
/* Nanoseconds of work for each byte that is worth to be copied for a thread, or to lie in the memory of one. */
#define PB_BYTE 4.0

/* A head for the elements of a block, unless nothing looks at them. */
static PB_UNUSED pb_block *pb_lent(pb_ctx *c, pb_block *of, uint32_t elem) {
  if (of == &pb_undef) return of;
  pb_buffer *head = pb_take(c, -1, sizeof *head);
  *head = (pb_buffer)PB_LENT(elem);
  return &head->head;
}

/* The accumulators of a loop. */
static PB_UNUSED pb_sums *pb_sums_of(const pb_loop *loop, void *frame) {
  return (pb_sums *)((pb_build **)((pb_left *)frame + 1) + loop->builds);
}

/* In which pieces a loop adds up: that hangs on nothing but the loop and its sizes. */
static PB_UNUSED pb_adds pb_adds_of(const pb_loop *loop, void *frame, int64_t count) {
  const pb_sums *const adds = pb_sums_of(loop, frame) + loop->sums;
  pb_adds made = {0, 0, 0};
  uint64_t total = 0;
  for (int32_t k = 0; k < loop->adds; k++)
    if (__builtin_add_overflow(total, adds[k].count, &total)) return made;
  const double most = (double)count * loop->weight / PB_PIECE / ((double)total + PB_PLACE);
  int64_t pieces = most < PB_SUMS ? (int64_t)most : PB_SUMS;
  if (count < pieces) pieces = count;
  if (loop->adds == 0 || pieces < 2) return made;
  made.piece = (count + pieces - 1) / pieces;
  made.total = (int64_t)total;
  return made;
}

/* Adds what a piece has added up to where the sums are. */
static void pb_adds_join(const pb_loop *loop, void *frame, const double *own) {
  const pb_sums *const adds = pb_sums_of(loop, frame) + loop->sums;
  for (int32_t k = 0; k < loop->adds; k++) {
    pb_join_to(adds[k].p, own, (int64_t)adds[k].count);
    own += adds[k].count;
  }
}

/* Runs iterations here, whole pieces if there are some. What is called is as deep on the stack whoever asks: all of this
   lies in one function. */
PB_INLINE void pb_spread_here(
    pb_ctx *c, const pb_loop *loop, void *frame, pb_word *words, const pb_adds *adds, int64_t from, int64_t to) {
  pb_left *const left = frame;
  const int64_t most = !loop->fold ? INT64_MAX : loop->words > 1 ? PB_LEFT / loop->words : PB_LEFT;
  left->left = words;
  left->is_ordered = 1;
  while (from < to) {
    const int64_t last = adds->piece && to - from > adds->piece ? from + adds->piece : to;
    if (adds->piece) memset(adds->own, 0, 8 * (size_t)adds->total);
    for (int64_t end; from < last; from = end) {
      end = last - from < most ? last : from + most;
      left->first = from;
      loop->part(c, frame, from, end, adds->own);
      if (loop->fold) loop->fold(frame, from, end);
    }
    if (adds->piece) pb_adds_join(loop, frame, adds->own);
  }
}

static int64_t pb_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Runs the first iterations here, until it is known whether the others are worth threads, and all if not. How many have
   been run. The clock decides who computes an iteration, and never what. */
PB_INLINE int64_t pb_spread_trial(
    pb_ctx *c, const pb_loop *loop, void *frame, pb_word *words, const pb_adds *adds, int64_t count, uint64_t *copies) {
  const int64_t unit = adds->piece ? adds->piece : 1;
  int64_t done = loop->builds > 0 ? unit : 0;
  pb_spread_here(c, loop, frame, words, adds, 0, done);
  if (c->worth <= 0.0 || (loop->is_outermost && count / 4 <= (int64_t)c->threads)) return done;
  const int64_t start = pb_clock(), before = done;
  const uint64_t used = c->used;
  for (int64_t step = unit; done < count; step *= 2) {
    const int64_t end = count - done < step ? count : done + step;
    pb_spread_here(c, loop, frame, words, adds, done, end);
    done = end;
    const double spent = (double)(pb_clock() - start);
    if (spent < PB_TRIAL) continue;
    const double more = spent / (double)(done - before) * (double)(count - done);
    const double made = loop->keeps && c->used > used ? (double)(c->used - used) : 0.0;
    if (more > PB_WORTHY && spent > PB_BYTE * made) {
      *copies = (uint64_t)(more / PB_BYTE);
      return done;
    }
    step = count;
  }
  return done;
}

/* How much stack each of so many threads gets: together half of the memory that is left, but not more than needed. */
static uint64_t pb_stack_of(const pb_ctx *c, uint64_t threads) {
  const uint64_t stack = (c->limit - c->used) / 2 / threads & ~UINT64_C(65535);
  return stack > PB_STACK ? PB_STACK : stack < 2 * PB_MARGIN ? 2 * PB_MARGIN : stack;
}

/* Keeps what accumulators hold, or takes it back. */
static void pb_spread_sums(const pb_sums *sums, int32_t count, double *kept, int takes_back) {
  for (int32_t k = 0; k < count; k++) {
    const size_t bytes = 8 * (size_t)sums[k].count;
    if (bytes) memcpy(takes_back ? sums[k].p : kept, takes_back ? kept : sums[k].p, bytes);
    kept += sums[k].count;
  }
}

/* Runs iterations on several threads, as far as that may be: in pieces, of which there are none if it may not. Gives
   the block that has what iterations leave. */
PB_CALLED pb_block *pb_spread_out(
    pb_ctx *c, const pb_loop *loop, void *frame, const pb_adds *adds, int64_t from, int64_t count, pb_shared *shared) {
  const int64_t left = count - from;
  const uint64_t threads = pb_crew(c, left, adds->piece ? adds->piece : 1), most = (c->limit - c->used) / 32;
  pb_build *const *const builds = (pb_build *const *)((pb_left *)frame + 1);
  const pb_sums *const sums = pb_sums_of(loop, frame);
  const int64_t piece = adds->piece ? adds->piece : left / (8 * (int64_t)threads) + 1, pieces = (left + piece - 1) / piece;
  uint64_t words = (uint64_t)left, places, all;
  if (threads < 2 || __builtin_mul_overflow(words, (uint64_t)loop->words, &words)) return 0;
  if (__builtin_mul_overflow((uint64_t)pieces, (uint64_t)adds->total, &places)) return 0;
  if (__builtin_add_overflow(words, places, &all)) return 0;
  for (int32_t k = 0; k < loop->sums; k++)
    if (__builtin_add_overflow(all, sums[k].count, &all)) return 0;
  if (all > most) return 0;
  /* Where nothing has told how large rows are, there is no place for them. */
  for (int32_t k = 0; k < loop->builds; k++)
    if (!builds[k]->known || builds[k]->room < count) return 0;
  pb_block *const block = all ? pb_buffer_of(c, -1, PB_INT, all) : 0;
  double *const own = block ? (double *)PB_ITEMS(block) + words : 0, *const kept = own ? own + places : 0;
  *(pb_left *)frame = (pb_left){block ? PB_ITEMS(block) : 0, from, 0};
  pb_spread_sums(sums, loop->sums, kept, 0);
  if (c->stand) __atomic_store_n(c->stand, from, __ATOMIC_RELAXED);
  shared->part = loop->part;
  shared->frame = frame;
  shared->first = from;
  shared->count = count;
  shared->piece = piece;
  shared->pieces = pieces;
  shared->own = adds->piece ? own : 0;
  shared->total = shared->apart = adds->total;
  shared->stack = pb_stack_of(c, threads);
  shared->known = loop->known;
  shared->end = loop->end;
  shared->keeps = loop->keeps;
  shared->run = c;
  pb_run_pieces(c, shared, threads);
  /* A piece that has failed has added something, which is not to be added again. */
  if (loop->sums && memchr(shared->done, 0, (size_t)shared->pieces)) {
    pb_spread_sums(sums, loop->sums, kept, 1);
    memset(shared->done, 0, (size_t)shared->pieces);
  }
  return block;
}

/* Runs such a loop with so many iterations. What no thread has done is done here, with all the memory and the stack
   that there are, so that a run fails as on one thread. */
PB_PRECOMPILED PB_APART void pb_spread(pb_ctx *c, const pb_loop *loop, void *frame, int64_t count) {
  pb_word words[PB_LEFT];
  pb_shared shared;
  pb_adds adds = pb_adds_of(loop, frame, count);
  pb_block *const place = adds.piece ? pb_buffer_of(c, loop->site, PB_REAL, (uint64_t)adds.total) : 0;
  int64_t done = 0;
  if (place) adds.own = (double *)PB_ITEMS(place);
  /* What all iterations add to is not for several threads where pieces have no place of their own. */
  if (c->threads > 1 && count > 1 && (!loop->adds || adds.piece)) {
    memset(&shared, 0, sizeof shared);
    shared.copies = UINT64_MAX;
    done = pb_spread_trial(c, loop, frame, words, &adds, count, &shared.copies);
    if (count - done > 1) {
      pb_block *const block = pb_spread_out(c, loop, frame, &adds, done, count, &shared);
      for (int64_t at = 0; at < shared.pieces; at++) {
        if (!shared.done[at]) pb_piece(&shared, c, at);
        if (shared.own) pb_adds_join(loop, frame, shared.own + at * shared.apart);
      }
      if (shared.pieces > 0) {
        if (loop->fold) loop->fold(frame, done, count);
        pb_dec(c, block);
        pb_dec(c, place);
        return;
      }
    }
  }
  pb_spread_here(c, loop, frame, words, &adds, done, count);
  pb_dec(c, place);
}
