/* Routines: whoever loads this puts them here. Each does what the text of one function does. */
#define PB_HOSTED __attribute__((visibility("default")))

/* An argument or a result: the elements and sizes of an array, or a number. */
typedef struct {
  void *p;
  int64_t d[2];
  double real;
  int64_t n;
} pb_operand;

typedef struct {
  /* The sizes of the results, and how many bytes it takes with these; negative if the text is to run. */
  int64_t (*plan)(uint32_t routine, const pb_operand *given, pb_operand *results);
  /* 1 if the results are there, 0 if the text is to run, 2 if the run is to stop. */
  int32_t (*run)(uint32_t routine, const pb_operand *given, pb_operand *results, const void *c, int32_t (*stops)(const void *));
} pb_routine_table;
#ifdef PB_BESIDE
extern PB_HOSTED pb_routine_table pb_routines;
#else
PB_HOSTED pb_routine_table pb_routines;
#endif

static PB_UNUSED int pb_routine_plan(pb_ctx *c, int32_t site, uint32_t routine, const pb_operand *given, pb_operand *results) {
  if (!pb_routines.plan) return 0;
  const int64_t bytes = pb_routines.plan(routine, given, results);
  if (bytes < 0) return 0;
  if ((uint64_t)bytes > c->limit - c->used) pb_out_of_memory(c, site, (uint64_t)bytes, 1);
  return 1;
}

static int32_t pb_routine_stops(const void *c) { return ((const pb_ctx *)c)->stop; }

static PB_UNUSED int pb_routine_run(pb_ctx *c, int32_t site, uint32_t routine, const pb_operand *given, pb_operand *results) {
  const int32_t outcome = pb_routines.run(routine, given, results, c, pb_routine_stops);
  if (outcome == 2) pb_fail_stop(c, site);
  return outcome;
}
