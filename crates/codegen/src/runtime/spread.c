/* Loops over anything, on several threads: their iterations wait for each other only by a few numbers at their end. */

/* A number that an iteration leaves. */
typedef union { double r; int64_t i; } pb_word;

/* What the frame of such a loop begins with: what iterations leave, from this one on. Then come the arrays that are made
   row by row, and the accumulators. */
typedef struct { pb_word *left; int64_t first; } pb_left;

/* An accumulator: its numbers. */
typedef struct { double *p; uint64_t count; } pb_sums;

/* What is done with what iterations have left, in order. */
typedef void pb_fold(void *frame, int64_t from, int64_t to);

/* Such a loop: how many numbers an iteration leaves, how many arrays are made row by row, how many accumulators there are,
   and whether the loop is outside all others. */
typedef struct {
  pb_stretch *part;
  pb_fold *fold;
  pb_known *known;
  int32_t words, builds, sums, is_outermost;
} pb_loop;

/* A function that is called as it is. */
#if defined(__GNUC__) && !defined(__clang__)
#define PB_APART __attribute__((noinline, noipa))
#else
#define PB_APART __attribute__((noinline))
#endif

/* Room for what iterations leave that are run here. */
#define PB_LEFT 256
/* Nanoseconds after which it is known whether a loop is worth threads, and how long it is to go on for that. */
#define PB_TRIAL 100000
#define PB_WORTHY 200000.0

/* A head for the elements of a block, unless nothing looks at them. */
static PB_UNUSED pb_block *pb_lent(pb_ctx *c, pb_block *of, uint32_t elem) {
  if (of == &pb_undef) return of;
  pb_buffer *head = pb_take(c, -1, sizeof *head);
  *head = (pb_buffer)PB_LENT(elem);
  return &head->head;
}

/* Runs iterations here. What is called is as deep on the stack whoever asks: all of this lies in one function. */
PB_INLINE void pb_spread_here(pb_ctx *c, const pb_loop *loop, void *frame, pb_word *words, int64_t from, int64_t to) {
  if (!loop->fold) {
    if (from < to) loop->part(c, frame, from, to, 0);
    return;
  }
  pb_left *const left = frame;
  const int64_t step = loop->words > 1 ? PB_LEFT / loop->words : PB_LEFT;
  left->left = words;
  for (int64_t end; from < to; from = end) {
    end = to - from < step ? to : from + step;
    left->first = from;
    loop->part(c, frame, from, end, 0);
    loop->fold(frame, from, end);
  }
}

static int64_t pb_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Runs the first iterations here, until it is known whether the others are worth threads, and all if not. How many have
   been run. The clock decides who computes an iteration, and never what. */
PB_INLINE int64_t pb_spread_trial(pb_ctx *c, const pb_loop *loop, void *frame, pb_word *words, int64_t count) {
  int64_t done = loop->builds > 0;
  pb_spread_here(c, loop, frame, words, 0, done);
  if (c->worth <= 0.0 || (loop->is_outermost && count / 4 <= (int64_t)c->threads)) return done;
  const int64_t start = pb_clock(), before = done;
  for (int64_t step = 1; done < count; step *= 2) {
    const int64_t end = count - done < step ? count : done + step;
    pb_spread_here(c, loop, frame, words, done, end);
    done = end;
    const double spent = (double)(pb_clock() - start);
    if (spent < PB_TRIAL) continue;
    if (spent / (double)(done - before) * (double)(count - done) > PB_WORTHY) return done;
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
static __attribute__((noinline)) pb_block *pb_spread_out(
    pb_ctx *c, const pb_loop *loop, void *frame, int64_t from, int64_t count, pb_shared *shared) {
  const int64_t left = count - from;
  const uint64_t threads = pb_crew(c, left, 1), most = (c->limit - c->used) / 32;
  pb_build *const *const builds = (pb_build *const *)((pb_left *)frame + 1);
  const pb_sums *const sums = (const pb_sums *)(builds + loop->builds);
  uint64_t words = (uint64_t)left, all;
  if (threads < 2 || __builtin_mul_overflow(words, (uint64_t)loop->words, &words)) return 0;
  all = words;
  for (int32_t k = 0; k < loop->sums; k++)
    if (__builtin_add_overflow(all, sums[k].count, &all)) return 0;
  if (all > most) return 0;
  /* Where nothing has told how large rows are, there is no place for them. */
  for (int32_t k = 0; k < loop->builds; k++)
    if (!builds[k]->known || builds[k]->room < count) return 0;
  pb_block *const block = all ? pb_buffer_of(c, -1, PB_INT, all) : 0;
  double *const kept = block ? (double *)PB_ITEMS(block) + words : 0;
  if (block) *(pb_left *)frame = (pb_left){PB_ITEMS(block), from};
  pb_spread_sums(sums, loop->sums, kept, 0);
  if (c->stand) __atomic_store_n(c->stand, from, __ATOMIC_RELAXED);
  shared->part = loop->part;
  shared->frame = frame;
  shared->first = from;
  shared->count = count;
  shared->piece = left / (8 * (int64_t)threads) + 1;
  shared->pieces = (left + shared->piece - 1) / shared->piece;
  shared->stack = pb_stack_of(c, threads);
  shared->known = loop->known;
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
static PB_UNUSED PB_APART void pb_spread(pb_ctx *c, const pb_loop *loop, void *frame, int64_t count) {
  pb_word words[PB_LEFT];
  double own;
  pb_shared shared;
  int64_t done = 0;
  if (c->threads > 1 && count > 1) {
    done = pb_spread_trial(c, loop, frame, words, count);
    if (count - done > 1) {
      memset(&shared, 0, sizeof shared);
      shared.own = &own;
      pb_block *const block = pb_spread_out(c, loop, frame, done, count, &shared);
      for (int64_t at = 0; at < shared.pieces; at++) {
        const int64_t from = done + at * shared.piece, left = count - from;
        if (!shared.done[at]) loop->part(c, frame, from, left < shared.piece ? count : from + shared.piece, &own);
      }
      if (shared.pieces > 0) {
        if (loop->fold) loop->fold(frame, done, count);
        pb_dec(c, block);
        return;
      }
    }
  }
  pb_spread_here(c, loop, frame, words, done, count);
}
