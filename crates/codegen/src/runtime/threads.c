/* Loops whose iterations do not wait for each other, on several threads. */
#include <pthread.h>

/* Iterations of a loop, of its frame: what it needs from around it. */
typedef void pb_stretch(pb_ctx *c, const void *frame, int64_t from, int64_t to);

/* The most pieces of a loop, and the most threads. */
#define PB_PIECES 512

/* A loop that is shared out: in pieces, which threads take one after the other. */
typedef struct {
  pb_stretch *part;
  const void *frame;
  int64_t count, piece, pieces, next;
  char done[PB_PIECES + 1];
} pb_shared;

/* A thread with memory of its own. */
typedef struct {
  pb_ctx own;
  pb_shared *shared;
  pthread_t thread;
} pb_worker;

static void pb_piece(pb_shared *s, pb_ctx *c, int64_t at) {
  const int64_t from = at * s->piece, left = s->count - from;
  s->part(c, s->frame, from, left < s->piece ? s->count : from + s->piece);
  s->done[at] = 1;
}

static void *pb_work_on(void *worker) {
  pb_worker *w = worker;
  /* Where a piece fails, for want of memory or of time, its thread ends. */
  if (setjmp(w->own.jump)) return 0;
  for (;;) {
    const int64_t at = __atomic_fetch_add(&w->shared->next, 1, __ATOMIC_RELAXED);
    if (at >= w->shared->pieces) return 0;
    pb_piece(w->shared, &w->own, at);
  }
}

/* Runs a loop with so many iterations, of which so many go at once: by other threads too, if there may be some. Pieces
   are whole numbers of iterations that go at once, so that each is computed the same way however many threads there
   are. */
static PB_UNUSED void pb_share(pb_ctx *c, pb_stretch *part, const void *frame, int64_t count, int64_t step) {
  uint64_t threads = count < 0 ? 0 : (uint64_t)(count / step);
  if (threads > c->threads) threads = c->threads;
  if (threads > PB_PIECES / 8) threads = PB_PIECES / 8;
  pb_worker *workers = threads > 1 ? calloc(threads, sizeof *workers) : 0;
  if (!workers) return part(c, frame, 0, count);
  const int64_t piece = (count / step / (8 * (int64_t)threads) + 1) * step;
  pb_shared shared = {part, frame, count, piece, (count + piece - 1) / piece, 0, {0}};
  for (uint64_t k = 0; k < threads; k++) {
    workers[k].own.limit = (c->limit - c->used) / threads;
    workers[k].shared = &shared;
  }
  uint64_t started = 1;
  while (started < threads && !pthread_create(&workers[started].thread, 0, pb_work_on, &workers[started])) started++;
  pb_work_on(&workers[0]);
  for (uint64_t k = 1; k < started; k++) pthread_join(workers[k].thread, 0);
  for (uint64_t k = 0; k < threads; k++) pb_free_all(&workers[k].own);
  free(workers);
  /* What no thread had the memory for is done with all that there is; a run that is to stop says so here. */
  for (int64_t at = 0; at < shared.pieces; at++)
    if (!shared.done[at]) pb_piece(&shared, c, at);
}
