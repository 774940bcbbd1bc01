/* What the host calls: one context for each run. */

__attribute__((visibility("default"))) pb_ctx *pb_open(uint64_t limit, void *const calls[4]) {
  pb_ctx *c = calloc(1, sizeof *c);
  if (!c) return 0;
  c->limit = limit;
  c->outside = -1;
  if (calls) memcpy(&c->call1, calls, 4 * sizeof(void *));
  return c;
}

/* On how many threads loops may be, and how many statements they are to run at least for that to be worth it. */
__attribute__((visibility("default"))) void pb_threads(pb_ctx *c, uint64_t most, double worth) {
  c->threads = most;
  c->worth = worth;
}

/* Says what is told each line of the program, with a pointer of the host's own, and what writes its numbers. */
__attribute__((visibility("default"))) void pb_listen(pb_ctx *c, void (*tell)(void *, const char *, uint64_t), void *host,
                                                      uint64_t (*show)(double, char *)) {
  c->tell = tell;
  c->host = host;
  c->show = show;
}

/* Says where a run stores how far its outermost loop is: how many iterations are done, of how many (-1 if that is not
   known), and what they are (0 for nothing). Somebody else may read it at any time. */
__attribute__((visibility("default"))) void pb_watch(pb_ctx *c, int64_t *stand) { c->stand = stand; }

/* Says that a run is to stop. Somebody else may do so at any time before the run is closed. */
__attribute__((visibility("default"))) void pb_stop(pb_ctx *c) {
  pb_end(c);
  pb_crew_enter(c);
  pb_crew_stop(c);
  pb_crew_leave(c);
}

__attribute__((visibility("default"))) void pb_told(const pb_ctx *c, int64_t fault[8]) {
  memcpy(fault, c->fault, sizeof c->fault);
  memcpy(fault + 5, &c->real, 8);
  fault[6] = c->outside;
  fault[7] = (int64_t)c->used;
}

__attribute__((visibility("default"))) void pb_close(pb_ctx *c) {
  pb_free_all(c);
  free(c);
}

/* Lets go of a block that a run has given. */
__attribute__((visibility("default"))) void pb_drop(pb_ctx *c, pb_block *b) { pb_dec(c, b); }

/* Has a block outlive the run that made it, to which it belongs no more. Gives what `pb_return` takes; or 0 where somebody
   else holds it too, or it is too small to be worth it. */
__attribute__((visibility("default"))) void *pb_outlive(pb_ctx *c, pb_block *b) {
  const uint64_t bytes = sizeof(pb_buffer) + ((pb_buffer *)b)->bytes;
  if (b->count != 1 || bytes <= PB_SMALL || bytes < PB_POOLED) return 0;
  pb_large *large = (pb_large *)b - 1;
  large->prev->next = large->next;
  if (large->next) large->next->prev = large->prev;
  c->used -= bytes;
  return large;
}

/* Takes such a block back, on whichever thread. */
__attribute__((visibility("default"))) void pb_return(void *block) { pb_pool_give(block); }

/* A cell or the elements of an array, for arguments; 0 if there is no memory for it. */
__attribute__((visibility("default"))) void *pb_make(pb_ctx *c, uint32_t kind, uint32_t tag, uint64_t bytes) {
  if (setjmp(c->jump)) return 0;
  if (kind == PB_ARRAY) return pb_buffer_of(c, -1, tag, bytes);
  return pb_cell(c, -1, kind, tag, bytes / 8);
}
