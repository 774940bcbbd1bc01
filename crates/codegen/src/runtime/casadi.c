/* What CasADi loads: functions of dense matrices of fixed sizes, column by column. An input that is not given is
   zero, an output that is not wanted is left alone. */

/* An input or output. `sparsity` has its rows and columns first. */
typedef struct {
  const char *name;
  const long long *sparsity;
  int moves;
} pb_leaf;

typedef void (*pb_computes)(pb_ctx *c, const double **arg, double **res, double *w);

/* Contexts that no call is using; what finds none here makes one. */
#define PB_SPARE 64
static pb_library *pb_spare[PB_SPARE];
static long long pb_users;
/* Why the latest call of this thread failed. */
static _Thread_local char pb_told[512];

static pb_library *pb_taken_context(void) {
  for (int k = 0; k < PB_SPARE; k++) {
    pb_library *l = __atomic_exchange_n(&pb_spare[k], 0, __ATOMIC_ACQ_REL);
    if (l) return l;
  }
  return pb_library_open();
}

static void pb_given_back(pb_library *l) {
  for (int k = 0; k < PB_SPARE; k++) {
    pb_library *none = 0;
    if (__atomic_compare_exchange_n(&pb_spare[k], &none, l, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
  }
  pb_library_close(l);
}

static void pb_incref(void) { __atomic_fetch_add(&pb_users, 1, __ATOMIC_ACQ_REL); }

/* What uses the library last lets go of its memory. */
static void pb_decref(void) {
  if (__atomic_fetch_sub(&pb_users, 1, __ATOMIC_ACQ_REL) > 1) return;
  for (int k = 0; k < PB_SPARE; k++) pb_library_close(__atomic_exchange_n(&pb_spare[k], 0, __ATOMIC_ACQ_REL));
}

/* A call in a context: whether it has failed. */
PB_CALLED int pb_called(pb_library *l, pb_computes computes, const pb_names *names,
                                               const double **arg, double **res, double *w) {
  if (setjmp(l->run.jump)) {
    pb_library_failed(l, names);
    return 1;
  }
  computes(&l->run, arg, res, w);
  pb_library_end(l);
  return 0;
}

static int pb_casadi(pb_computes computes, int unit, const pb_type *types, const pb_names *names, const double **arg,
                     double **res, double *w) {
  pb_library *l = pb_taken_context();
  if (!l) {
    snprintf(pb_told, sizeof pb_told, "out of memory");
    return 1;
  }
  if (!pb_library_begin(l, unit, types, names)) return 1;
  int failed = pb_called(l, computes, names, arg, res, w);
  memcpy(pb_told, l->text, sizeof pb_told);
  pb_given_back(l);
  return failed;
}

static long long pb_numel(const pb_leaf *leaf) { return leaf->sparsity[0] * leaf->sparsity[1]; }

/* A number that is an Int, or none. */
static PB_UNUSED int64_t pb_int_given(pb_ctx *c, double x) {
  if (!(x >= -0x1p63 && x < 0x1p63) || x != (double)(int64_t)x) {
    c->real = x;
    pb_fail(c, -1, PB_F_NOT_INT, 0, 0, 0);
  }
  return (int64_t)x;
}

/* A matrix row by row; `w` is moved past the room that it takes. */
static PB_UNUSED const double *pb_reals_given(const double *from, double **w, int64_t rows, int64_t columns) {
  if (from && (rows == 1 || columns == 1)) return from;
  double *to = *w;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) to[i * columns + j] = from ? from[i + j * rows] : 0;
  *w += rows * columns;
  return to;
}

static PB_UNUSED const int64_t *pb_ints_given(pb_ctx *c, const double *from, double **w, int64_t rows,
                                              int64_t columns) {
  int64_t *to = (int64_t *)(void *)*w;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) to[i * columns + j] = from ? pb_int_given(c, from[i + j * rows]) : 0;
  *w += rows * columns;
  return to;
}

static PB_UNUSED const bool *pb_bools_given(const double *from, double **w, int64_t rows, int64_t columns) {
  bool *to = (bool *)(void *)*w;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) to[i * columns + j] = from && from[i + j * rows] != 0;
  *w += rows * columns;
  return to;
}

/* Fails unless an array has the sizes that are promised. */
static PB_UNUSED void pb_promised(pb_ctx *c, const int64_t *size, int rank, int64_t rows, int64_t columns) {
  if (size[0] != rows) pb_fail(c, -1, PB_F_RESULT, size[0], rows, 0);
  if (rank > 1 && size[1] != columns) pb_fail(c, -1, PB_F_RESULT, size[1], columns, 0);
}

/* A matrix that lies row by row, column by column. */
#define PB_PUT(to, from, rows, columns) \
  for (int64_t pb_i = 0; (to) && pb_i < (rows); pb_i++) \
    for (int64_t pb_j = 0; pb_j < (columns); pb_j++) \
      (to)[pb_i + pb_j * (rows)] = (double)(from)[pb_i * (columns) + pb_j]

static PB_UNUSED void pb_zeros(double *to, int64_t count) {
  if (to) memset(to, 0, (uint64_t)count * sizeof *to);
}

typedef int (*pb_function)(const double **arg, double **res, long long *iw, double *w, int mem);

/* The blocks of a Jacobian, each of an output and an input, by its columns: `forward` gives the tangents of the
   outputs. `arg` and `res` have room for what it takes and gives, `w` for a tangent and what it needs. */
static PB_UNUSED int pb_by_columns(pb_function forward, const pb_leaf *in, long long n_in, const pb_leaf *out,
                                   long long n_out, const double **arg, double **res, double *w, long long room) {
  const double **seeds = arg + n_in + n_out;
  double **columns = res + n_in * n_out;
  for (long long i = 0; i < n_in; i++) {
    long long count = pb_numel(&in[i]);
    if (!in[i].moves) continue;
    for (long long k = 0; k < n_in; k++) seeds[k] = 0;
    memset(w, 0, (uint64_t)count * sizeof *w);
    seeds[i] = w;
    for (long long e = 0; e < count; e++) {
      w[e] = 1;
      for (long long o = 0; o < n_out; o++) {
        double *block = out[o].moves ? res[o * n_in + i] : 0;
        columns[o] = block ? block + e * pb_numel(&out[o]) : 0;
      }
      if (forward(arg, columns, 0, w + room, 0)) return 1;
      w[e] = 0;
    }
  }
  return 0;
}

/* The same by rows: `reverse` gives the cotangents of the inputs. `w` has room for a cotangent, those, and what it
   needs. */
static PB_UNUSED int pb_by_rows(pb_function reverse, const pb_leaf *in, long long n_in, const pb_leaf *out,
                                long long n_out, const double **arg, double **res, double *w, long long room) {
  const double **seeds = arg + n_in + n_out;
  double **rows = res + n_in * n_out;
  for (long long o = 0; o < n_out; o++) {
    long long count = pb_numel(&out[o]);
    if (!out[o].moves) continue;
    double *row = w + count;
    for (long long i = 0; i < n_in; i++) {
      rows[i] = in[i].moves && res[o * n_in + i] ? row : 0;
      if (in[i].moves) row += pb_numel(&in[i]);
    }
    for (long long k = 0; k < n_out; k++) seeds[k] = 0;
    memset(w, 0, (uint64_t)count * sizeof *w);
    seeds[o] = w;
    for (long long e = 0; e < count; e++) {
      w[e] = 1;
      if (reverse(arg, rows, 0, w + room, 0)) return 1;
      w[e] = 0;
      for (long long i = 0; i < n_in; i++) {
        double *block = res[o * n_in + i];
        for (long long k = 0; rows[i] && k < pb_numel(&in[i]); k++) block[e + k * count] = rows[i][k];
      }
    }
  }
  return 0;
}

/* Sweeps that tell a sparse Jacobian. Inputs that move are counted through, and so are outputs. Sweep `s` is along inputs
   if ways[s] is 1, along outputs if it is 0: its direction is 1 at seeds[from[s]] and so on. Of block `b` it tells entries
   told[s * blocks + b] and so on: number places[k] of its answer is entry at[k] of the block. */
typedef struct {
  int count;
  const int *ways, *from, *seeds, *told, *places, *at;
} pb_sweeps;

/* Gives each input or output that moves a place in a list of numbers, and the others none; how many there are. */
static PB_UNUSED long long pb_placed(const pb_leaf *leaves, long long n, double *numbers, double **places) {
  long long count = 0;
  for (long long k = 0; k < n; k++) {
    places[k] = leaves[k].moves ? numbers + count : 0;
    if (leaves[k].moves) count += pb_numel(&leaves[k]);
  }
  return count;
}

/* The blocks of a sparse Jacobian, each of an output and an input. `arg` and `res` have room for what `forward` and `reverse`
   take and give, `w` for a direction, an answer and what they need. */
static PB_UNUSED int pb_by_sweeps(pb_function forward, pb_function reverse, const pb_sweeps *plan, const pb_leaf *in,
                                  long long n_in, const pb_leaf *out, long long n_out, const double **arg,
                                  double **res, double *w) {
  long long blocks = n_in * n_out;
  double **answers = res + blocks;
  for (int s = 0; s < plan->count; s++) {
    const int *told = plan->told + s * blocks;
    long long wanted = 0;
    for (long long b = 0; b < blocks; b++) wanted += res[b] && told[b + 1] > told[b];
    if (!wanted) continue;
    int is_forward = plan->ways[s];
    const pb_leaf *seeded = is_forward ? in : out, *answered = is_forward ? out : in;
    long long n = is_forward ? n_in : n_out, m = is_forward ? n_out : n_in;
    long long count = 0;
    for (long long k = 0; k < n; k++) {
      arg[n_in + n_out + k] = seeded[k].moves ? w + count : 0;
      if (seeded[k].moves) count += pb_numel(&seeded[k]);
    }
    memset(w, 0, (uint64_t)count * sizeof *w);
    for (int k = plan->from[s]; k < plan->from[s + 1]; k++) w[plan->seeds[k]] = 1;
    double *answer = w + count;
    long long more = pb_placed(answered, m, answer, answers);
    if ((is_forward ? forward : reverse)(arg, answers, 0, answer + more, 0)) return 1;
    for (long long b = 0; b < blocks; b++)
      for (int k = told[b]; res[b] && k < told[b + 1]; k++) res[b][plan->at[k]] = answer[plan->places[k]];
  }
  return 0;
}

/* What is looked up by name, of a function with these inputs and outputs, each list with an end. */
#define PB_COUNT(list) ((long long)(sizeof(list) / sizeof *(list)) - 1)
#define PB_AT(list, i) ((i) >= 0 && (i) < PB_COUNT(list) ? &(list)[i] : 0)
#define PB_CASADI(symbol, in, out, more_arg, more_res, room) \
  PB_EXPORT long long symbol##_n_in(void) { return PB_COUNT(in); } \
  PB_EXPORT long long symbol##_n_out(void) { return PB_COUNT(out); } \
  PB_EXPORT const char *symbol##_name_in(long long i) { return PB_AT(in, i) ? (in)[i].name : 0; } \
  PB_EXPORT const char *symbol##_name_out(long long i) { return PB_AT(out, i) ? (out)[i].name : 0; } \
  PB_EXPORT const long long *symbol##_sparsity_in(long long i) { return PB_AT(in, i) ? (in)[i].sparsity : 0; } \
  PB_EXPORT const long long *symbol##_sparsity_out(long long i) { return PB_AT(out, i) ? (out)[i].sparsity : 0; } \
  PB_EXPORT int symbol##_diff_in(long long i) { return PB_AT(in, i) ? (in)[i].moves : 0; } \
  PB_EXPORT int symbol##_diff_out(long long i) { return PB_AT(out, i) ? (out)[i].moves : 0; } \
  PB_EXPORT int symbol##_work(long long *arg, long long *res, long long *iw, long long *w) { \
    if (arg) *arg = PB_COUNT(in) + (more_arg); \
    if (res) *res = PB_COUNT(out) + (more_res); \
    if (iw) *iw = 0; \
    if (w) *w = (room); \
    return 0; \
  } \
  PB_EXPORT void symbol##_incref(void) { pb_incref(); } \
  PB_EXPORT void symbol##_decref(void) { pb_decref(); }
