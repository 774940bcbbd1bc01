/* Loops whose iterations do not wait for each other, or only to add up, on several threads. */
#include <pthread.h>
#include <time.h>

/* Iterations of a loop, of its frame: what it needs from around it. They add to a place of their own, if one is given,
   else to where the sums are. */
typedef void pb_stretch(pb_ctx *c, const void *frame, int64_t from, int64_t to, double *own);
/* Adds what is in such a place to where the sums are. */
typedef void pb_join(const void *frame, const double *own);
/* Gives a thread the constants that are known. */
typedef void pb_known(const pb_ctx *c, pb_ctx *own);
/* Lets go of what a thread had copied. */
typedef void pb_ending(pb_ctx *c, void *copies);

/* The most pieces of a loop, and the most threads. */
#define PB_PIECES 512
/* In how many pieces a loop adds up, however many threads there are. */
#define PB_SUMS 16
/* The stack of a thread, which is committed as it is used, and what is left free of it. */
#define PB_STACK (UINT64_C(64) << 20)
#define PB_MARGIN (UINT64_C(1) << 20)

/* A loop that is shared out: in pieces, which threads take one after the other, each with a place for its sums. */
typedef struct {
  pb_stretch *part;
  const void *frame;
  int64_t first, count, piece, pieces, next;
  double *own;
  int64_t total, apart;
  uint64_t stack;
  pb_known *known;
  const pb_ctx *run;
  pb_ending *end;
  int32_t keeps;   /* whether cells that threads make stay */
  uint64_t copies; /* how many bytes a thread may copy */
  char done[PB_PIECES + 1];
} pb_shared;

/* A thread with memory of its own. */
typedef struct {
  pb_ctx own;
  pb_shared *shared;
  pthread_t thread;
} pb_worker;

static void pb_crew_is(pb_ctx *c, pb_worker *workers, uint64_t threads) {
  pb_crew_enter(c);
  c->crew = (char *)workers;
  c->crew_step = sizeof *workers;
  c->crew_size = threads;
  if (c->stop) pb_crew_stop(c);
  pb_crew_leave(c);
}

/* In place of a call, so that what is called is as deep on the stack whoever asks. */
PB_INLINE void pb_piece(pb_shared *s, pb_ctx *c, int64_t at) {
  const int64_t from = s->first + at * s->piece, left = s->count - from, to = left < s->piece ? s->count : from + s->piece;
  double *const own = s->own ? s->own + at * s->apart : 0;
  if (own) memset(own, 0, 8 * (size_t)s->total);
  s->part(c, s->frame, from, to, own);
  s->done[at] = 1;
  if (s->run && s->run != c && s->run->stand) __atomic_fetch_add(s->run->stand, to - from, __ATOMIC_RELAXED);
}

static void *pb_work_on(void *worker) {
  pb_worker *w = worker;
  if (w->shared->stack && !w->own.low) pb_stack(&w->own, (uint64_t)__builtin_frame_address(0) - (w->shared->stack - PB_MARGIN));
  /* Where a piece fails, its thread ends. The others go on where only there was too little memory or stack for it. */
  if (setjmp(w->own.jump)) {
    if (w->own.fault[0] != PB_F_MEMORY && w->own.fault[0] != PB_F_DEEP)
      __atomic_store_n(&w->shared->next, w->shared->pieces, __ATOMIC_RELAXED);
    return 0;
  }
  if (w->shared->known) w->shared->known(w->shared->run, &w->own);
  for (;;) {
    const int64_t at = __atomic_fetch_add(&w->shared->next, 1, __ATOMIC_RELAXED);
    if (at >= w->shared->pieces) return 0;
    pb_piece(w->shared, &w->own, at);
  }
}

/* How many threads may run a loop with so many iterations, of which so many go at once. */
static uint64_t pb_crew(const pb_ctx *c, int64_t count, int64_t step) {
  uint64_t threads = count < 0 ? 0 : (uint64_t)(count / step);
  if (threads > c->threads) threads = c->threads;
  return threads > PB_PIECES / 8 ? PB_PIECES / 8 : threads;
}

/* Takes from no chunk any more: all that have room are open. */
static void pb_open_all(pb_ctx *c) {
  for (int size = 1; size < PB_SIZES; size++) {
    pb_chunk *const chunk = c->current[size];
    if (!chunk) continue;
    chunk->free = c->free[size];
    for (void **block = chunk->free; block; block = *block) chunk->count++;
    c->free[size] = 0;
    c->current[size] = 0;
    if (chunk->free || chunk->fresh) pb_chunk_opens(c, chunk);
  }
}

/* Gives the chunks of a run in which nothing is held to its threads, one after the other. They are theirs: where what
   threads make does not stay, they go with it. */
static void pb_deal(pb_ctx *c, pb_worker *workers, uint64_t threads) {
  pb_chunk *all = c->chunks;
  uint64_t turn = 0;
  pb_open_all(c);
  c->chunks = 0;
  memset(c->open, 0, sizeof c->open);
  for (pb_chunk *chunk = all, *next; chunk; chunk = next) {
    next = chunk->next;
    pb_ctx *const to = pb_is_free(chunk) ? &workers[turn++ % threads].own : c;
    const int has_room = chunk->is_open;
    chunk->next = to->chunks;
    to->chunks = chunk;
    chunk->is_open = 0;
    if (has_room) pb_chunk_opens(to, chunk);
  }
}

/* Takes over the memory of a thread with all that lies there, and what is free of it. */
static void pb_take_over(pb_ctx *c, pb_ctx *own) {
  pb_open_all(own);
  for (int size = 1; size < PB_SIZES; size++)
    for (pb_chunk *chunk = own->open[size], *next; chunk; chunk = next) {
      next = chunk->next_open;
      chunk->is_open = 0;
      pb_chunk_opens(c, chunk);
    }
  if (own->chunks) {
    pb_chunk *last = own->chunks;
    while (last->next) last = last->next;
    last->next = c->chunks;
    c->chunks = own->chunks;
  }
  for (int k = 0; k < 64; k++)
    for (pb_large *large = own->spare[k], *next; large; large = next) {
      next = large->spare;
      large->prev->next = large->next;
      if (large->next) large->next->prev = large->prev;
      pb_pool_give(large);
    }
  if (own->large.next) {
    pb_large *const first = own->large.next, *last = first;
    while (last->next) last = last->next;
    first->prev = &c->large;
    last->next = c->large.next;
    if (last->next) last->next->prev = last;
    c->large.next = first;
  }
  c->used += own->used;
}

/* Runs the pieces of a loop on so many threads, but for those that there is too little memory or time for. A thread
   has all of a context but what only the run itself needs: it starts no threads, and tells nothing. */
static void pb_run_pieces(pb_ctx *c, pb_shared *shared, uint64_t threads) {
  pb_worker *workers = calloc(threads, sizeof *workers);
  if (!workers) return;
  for (uint64_t k = 0; k < threads; k++) {
    pb_ctx *const own = &workers[k].own;
    own->limit = (c->limit - c->used) / threads;
    own->in_crew = 1;
    own->may_copy = shared->copies;
    own->worth = c->worth;
    own->outside = c->outside;
    own->types = c->types;
    own->texts = c->texts;
    memcpy(&own->call1, &c->call1, 4 * sizeof(void *));
    workers[k].shared = shared;
  }
  workers[0].own.low = c->low ? c->low : 1;
  if (shared->keeps) pb_deal(c, workers, threads);
  pb_crew_is(c, workers, threads);
  pthread_attr_t attr;
  uint64_t started = 1;
  if (!pthread_attr_init(&attr)) {
    if (!shared->stack || !pthread_attr_setstacksize(&attr, shared->stack))
      while (started < threads && !pthread_create(&workers[started].thread, &attr, pb_work_on, &workers[started])) started++;
    pthread_attr_destroy(&attr);
  }
  pb_work_on(&workers[0]);
  for (uint64_t k = 1; k < started; k++) pthread_join(workers[k].thread, 0);
  pb_crew_is(c, 0, 0);
  /* What is kept is kept of all pieces or of none: then none is done. */
  const int keeps = shared->keeps && !memchr(shared->done, 0, (size_t)shared->pieces);
  if (shared->keeps && !keeps) memset(shared->done, 0, (size_t)shared->pieces);
  for (uint64_t k = 0; k < threads; k++) {
    pb_ctx *const own = &workers[k].own;
    if (!keeps) {
      pb_free_all(own);
    } else {
      if (own->copies && shared->end) shared->end(own, own->copies);
      pb_take_over(c, own);
    }
  }
  free(workers);
}

/* What no thread has done is done here, with all the memory and the stack that there are: a run that is to stop, or a
   piece that fails, says so. */
static void pb_run_rest(pb_ctx *c, pb_shared *shared) {
  for (int64_t at = 0; at < shared->pieces; at++)
    if (!shared->done[at]) pb_piece(shared, c, at);
}

/* Runs a loop with so many iterations, of which so many go at once: by other threads too, if there may be some. Pieces
   are whole numbers of iterations that go at once, so that each is computed the same way however many threads there
   are. */
PB_PRECOMPILED void pb_share(pb_ctx *c, pb_stretch *part, const void *frame, int64_t count, int64_t step) {
  const uint64_t threads = pb_crew(c, count, step);
  if (threads < 2) return part(c, frame, 0, count, 0);
  const int64_t piece = (count / step / (8 * (int64_t)threads) + 1) * step;
  pb_shared shared = {
      .part = part, .frame = frame, .count = count, .piece = piece, .pieces = (count + piece - 1) / piece};
  pb_run_pieces(c, &shared, threads);
  pb_run_rest(c, &shared);
}

/* As pb_share, of a loop that adds up, in a place of so many numbers: pieces are always the same, and are joined in
   their order. One thread needs one place; several need one for each piece, if there is the memory. */
PB_PRECOMPILED void pb_share_sums(
    pb_ctx *c, int32_t site, pb_stretch *part, pb_join *join, const void *frame, int64_t count, int64_t step,
    int64_t total) {
  const int64_t piece = (count / step / PB_SUMS + 1) * step, pieces = count < 0 ? 0 : (count + piece - 1) / piece;
  const uint64_t threads = pb_crew(c, count, step), room = (c->limit - c->used) / 2;
  const int apart = threads > 1 && (uint64_t)total < room / 8 / PB_SUMS;
  void *own;
  pb_block *const block = pb_scratch(c, site, 1, &(pb_shape){2, 8}, (int64_t[]){apart ? pieces : 1, total}, &own);
  pb_shared shared = {
      .part = part, .frame = frame, .count = count, .piece = piece, .pieces = pieces, .own = own,
      .total = total, .apart = apart ? total : 0};
  if (apart) pb_run_pieces(c, &shared, threads);
  for (int64_t at = 0; at < pieces; at++) {
    if (!shared.done[at]) pb_piece(&shared, c, at);
    join(frame, shared.own + at * shared.apart);
  }
  pb_dec(c, block);
}
