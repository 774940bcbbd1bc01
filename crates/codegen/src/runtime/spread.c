/* Loops over anything, on several threads: their iterations wait for each other only by a few numbers at their end. */

/* A number that an iteration leaves. */
typedef union { double r; int64_t i; } pb_word;

/* What the frame of such a loop begins with: what iterations leave, from this one on. Then come the arrays that are made
   row by row. */
typedef struct { pb_word *left; int64_t first; } pb_left;

/* What is done with what iterations have left, in order. */
typedef void pb_fold(void *frame, int64_t from, int64_t to);

/* Such a loop: how many numbers an iteration leaves, how many arrays are made row by row, and whether the loop is outside
   all others. */
typedef struct {
  pb_stretch *part;
  pb_fold *fold;
  pb_known *known;
  int32_t words, builds, is_outermost;
} pb_loop;

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

/* Runs iterations here. */
static void pb_spread_here(pb_ctx *c, const pb_loop *loop, void *frame, int64_t from, int64_t to) {
  if (from >= to) return;
  if (!loop->fold) return loop->part(c, frame, from, to, 0);
  pb_word words[PB_LEFT];
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
static int64_t pb_spread_trial(pb_ctx *c, const pb_loop *loop, void *frame, int64_t count) {
  int64_t done = loop->builds > 0;
  pb_spread_here(c, loop, frame, 0, done);
  if (c->worth <= 0.0 || (loop->is_outermost && count / 4 <= (int64_t)c->threads)) return done;
  const int64_t start = pb_clock(), before = done;
  for (int64_t step = 1; done < count; step *= 2) {
    const int64_t end = count - done < step ? count : done + step;
    pb_spread_here(c, loop, frame, done, end);
    done = end;
    const double spent = (double)(pb_clock() - start);
    if (spent < PB_TRIAL) continue;
    if (spent / (double)(done - before) * (double)(count - done) > PB_WORTHY) return done;
    pb_spread_here(c, loop, frame, done, count);
    done = count;
  }
  return done;
}

/* How much stack each of so many threads gets: together half of the memory that is left, but not more than needed. */
static uint64_t pb_stack_of(const pb_ctx *c, uint64_t threads) {
  const uint64_t stack = (c->limit - c->used) / 2 / threads & ~UINT64_C(65535);
  return stack > PB_STACK ? PB_STACK : stack < 2 * PB_MARGIN ? 2 * PB_MARGIN : stack;
}

/* Runs iterations on several threads, if that may be. */
static int pb_spread_out(pb_ctx *c, const pb_loop *loop, void *frame, int64_t from, int64_t count) {
  const int64_t left = count - from;
  const uint64_t threads = pb_crew(c, left, 1), words = (uint64_t)left * (uint64_t)loop->words;
  if (threads < 2 || words / (uint64_t)left != (uint64_t)loop->words || words > (c->limit - c->used) / 32) return 0;
  pb_build *const *builds = (pb_build *const *)((pb_left *)frame + 1);
  /* Where nothing has told how large rows are, there is no place for them. */
  for (int32_t k = 0; k < loop->builds; k++)
    if (!builds[k]->known || builds[k]->room < count) return 0;
  pb_block *const block = words ? pb_buffer_of(c, -1, PB_INT, words) : 0;
  if (block) *(pb_left *)frame = (pb_left){PB_ITEMS(block), from};
  if (c->stand) __atomic_store_n(c->stand, from, __ATOMIC_RELAXED);
  const int64_t piece = left / (8 * (int64_t)threads) + 1;
  double none;
  pb_shared shared = {
      loop->part, frame, from, count, piece, (left + piece - 1) / piece, 0, &none, 0, 0,
      pb_stack_of(c, threads), loop->known, c, {0}};
  pb_run_pieces(c, &shared, threads);
  pb_run_rest(c, &shared);
  if (loop->fold) loop->fold(frame, from, count);
  pb_dec(c, block);
  return 1;
}

/* Runs such a loop with so many iterations. */
static PB_UNUSED __attribute__((noinline)) void pb_spread(pb_ctx *c, const pb_loop *loop, void *frame, int64_t count) {
  int64_t done = 0;
  if (c->threads > 1 && count > 1) {
    done = pb_spread_trial(c, loop, frame, count);
    if (count - done > 1 && pb_spread_out(c, loop, frame, done, count)) return;
  }
  pb_spread_here(c, loop, frame, done, count);
}
