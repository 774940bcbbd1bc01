/* Eight lanes at once: vectors of Reals, and of Ints or masks, whose lanes are 0 or -1. */

typedef double pb_v __attribute__((vector_size(64)));
typedef int64_t pb_w __attribute__((vector_size(64)));
/* The same in memory, where it may lie anywhere. */
typedef double pb_v_any __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t pb_w_any __attribute__((vector_size(64), aligned(8), may_alias));
#define PB_INLINE static inline PB_UNUSED __attribute__((always_inline))
#define PB_LANE(l) for (int l = 0; l < 8; l++)

/* What some processors do for all lanes at once, if the compiler has a name for it. */
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_ptestmq512) && __has_builtin(__builtin_ia32_ptestnmq512) && \
    __has_builtin(__builtin_ia32_loadupd512_mask) && __has_builtin(__builtin_ia32_storeupd512_mask) && \
    __has_builtin(__builtin_ia32_loaddqudi512_mask) && __has_builtin(__builtin_ia32_storedqudi512_mask) && \
    __has_builtin(__builtin_ia32_gatherdiv8df) && __has_builtin(__builtin_ia32_scatterdiv8df) && \
    __has_builtin(__builtin_ia32_gatherdiv8di) && __has_builtin(__builtin_ia32_scatterdiv8di) && \
    __has_builtin(__builtin_ia32_rangepd512_mask) && __has_builtin(__builtin_ia32_sqrtpd512_mask)
#define PB_WIDE 1
typedef long long pb_ll __attribute__((vector_size(64)));
#define PB_BITS(w) __builtin_ia32_ptestmq512((pb_ll)(w), (pb_ll)(w), (unsigned char)-1)
#endif
#endif
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define PB_SHUFFLE 1
#endif
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_shuffle)
#define PB_SHUFFLE_BY 1
#endif
#endif

PB_INLINE pb_v pb_all(double x) { return (pb_v){x, x, x, x, x, x, x, x}; }
PB_INLINE pb_w pb_all_int(int64_t n) { return (pb_w){n, n, n, n, n, n, n, n}; }
PB_INLINE pb_w pb_all_bool(int b) { return pb_all_int(b ? -1 : 0); }
PB_INLINE pb_w pb_ramp(int64_t n, int64_t stride) {
  return pb_all_int(n) + pb_all_int(stride) * (pb_w){0, 1, 2, 3, 4, 5, 6, 7};
}
/* The mask of the first lanes. */
PB_INLINE pb_w pb_first(int64_t m) { return (pb_w){0, 1, 2, 3, 4, 5, 6, 7} < pb_all_int(m); }
/* The last lanes of one vector, as many as d, and the first of another after them. */
PB_INLINE pb_v pb_shifted(pb_v p, pb_v q, int64_t d) {
#ifdef PB_SHUFFLE_BY
  return __builtin_shuffle(p, q, (pb_w){8, 9, 10, 11, 12, 13, 14, 15} - pb_all_int(d));
#else
  pb_v v;
  PB_LANE(l) v[l] = l < d ? p[8 - d + l] : q[l - d];
  return v;
#endif
}
PB_INLINE int pb_some(pb_w w) {
#ifdef PB_WIDE
  return PB_BITS(w) != 0;
#else
  int64_t any = 0;
  PB_LANE(l) any |= w[l];
  return any != 0;
#endif
}
PB_INLINE int pb_every(pb_w w) {
#ifdef PB_WIDE
  return __builtin_ia32_ptestnmq512((pb_ll)w, (pb_ll)w, (unsigned char)-1) == 0;
#else
  int64_t every = -1;
  PB_LANE(l) every &= w[l];
  return every != 0;
#endif
}
PB_INLINE pb_w pb_where_int(pb_w mask, pb_w a, pb_w b) { return (mask & a) | (~mask & b); }
PB_INLINE pb_v pb_where(pb_w mask, pb_v a, pb_v b) { return (pb_v)((mask & (pb_w)a) | (~mask & (pb_w)b)); }

/* The lanes together, always in this order. */
PB_INLINE double pb_across(pb_v v) {
#ifdef PB_SHUFFLE
  typedef double half __attribute__((vector_size(32)));
  typedef double pair __attribute__((vector_size(16)));
  const half a = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const pair b = __builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3);
  return b[0] + b[1];
#else
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#endif
}
/* Adds four vectors to four places that follow each other, the lanes of each together, in that order too. */
PB_INLINE void pb_add_across(double *p, pb_v a, pb_v b, pb_v c, pb_v d) {
#ifdef PB_SHUFFLE
  typedef double four_any __attribute__((vector_size(32), aligned(8), may_alias));
  const pb_v ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) + __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  const pb_v cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11) + __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
  const pb_v all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5, 8, 9, 12, 13) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7, 10, 11, 14, 15);
  const pb_v sums = all + __builtin_shufflevector(all, all, 1, 0, 3, 2, 5, 4, 7, 6);
  *(four_any *)p += __builtin_shufflevector(sums, sums, 0, 2, 4, 6);
#else
  p[0] += pb_across(a);
  p[1] += pb_across(b);
  p[2] += pb_across(c);
  p[3] += pb_across(d);
#endif
}
PB_INLINE int64_t pb_across_int(pb_w w) {
  int64_t sum = 0;
  PB_LANE(l) sum += w[l];
  return sum;
}
PB_INLINE double pb_across_max(pb_v v) {
  double max = v[0];
  for (int l = 1; l < 8; l++) max = pb_max(max, v[l]);
  return max;
}
PB_INLINE double pb_across_min(pb_v v) {
  double min = v[0];
  for (int l = 1; l < 8; l++) min = pb_min(min, v[l]);
  return min;
}

PB_INLINE pb_v pb_load(const double *p) { return *(const pb_v_any *)p; }
PB_INLINE pb_w pb_load_int(const int64_t *p) { return *(const pb_w_any *)p; }
PB_INLINE pb_w pb_load_bool(const _Bool *p) {
  pb_w w;
  PB_LANE(l) w[l] = -(int64_t)p[l];
  return w;
}
PB_INLINE pb_v pb_load_where(const double *p, pb_w mask) {
#ifdef PB_WIDE
  return __builtin_ia32_loadupd512_mask(p, (pb_v){0}, PB_BITS(mask));
#else
  if (pb_every(mask)) return pb_load(p);
  pb_v v = {0};
  PB_LANE(l) if (mask[l]) v[l] = p[l];
  return v;
#endif
}
PB_INLINE pb_w pb_load_where_int(const int64_t *p, pb_w mask) {
#ifdef PB_WIDE
  return (pb_w)__builtin_ia32_loaddqudi512_mask((const long long *)p, (pb_ll){0}, PB_BITS(mask));
#else
  if (pb_every(mask)) return pb_load_int(p);
  pb_w w = {0};
  PB_LANE(l) if (mask[l]) w[l] = p[l];
  return w;
#endif
}
PB_INLINE pb_w pb_load_where_bool(const _Bool *p, pb_w mask) {
  pb_w w = {0};
  PB_LANE(l) if (mask[l]) w[l] = -(int64_t)p[l];
  return w;
}
PB_INLINE pb_v pb_gather(const double *p, pb_w at, pb_w mask) {
#ifdef PB_WIDE
  return __builtin_ia32_gatherdiv8df((pb_v){0}, p, (pb_ll)at, PB_BITS(mask), 8);
#else
  pb_v v = {0};
  PB_LANE(l) if (mask[l]) v[l] = p[at[l]];
  return v;
#endif
}
PB_INLINE pb_w pb_gather_int(const int64_t *p, pb_w at, pb_w mask) {
#ifdef PB_WIDE
  return (pb_w)__builtin_ia32_gatherdiv8di((pb_ll){0}, (const long long *)p, (pb_ll)at, PB_BITS(mask), 8);
#else
  pb_w w = {0};
  PB_LANE(l) if (mask[l]) w[l] = p[at[l]];
  return w;
#endif
}
PB_INLINE pb_w pb_gather_bool(const _Bool *p, pb_w at, pb_w mask) {
  pb_w w = {0};
  PB_LANE(l) if (mask[l]) w[l] = -(int64_t)p[at[l]];
  return w;
}
PB_INLINE void pb_store(double *p, pb_v v) { *(pb_v_any *)p = v; }
PB_INLINE void pb_store_int(int64_t *p, pb_w w) { *(pb_w_any *)p = w; }
PB_INLINE void pb_store_bool(_Bool *p, pb_w w) { PB_LANE(l) p[l] = w[l] != 0; }
PB_INLINE void pb_store_some(double *p, pb_v v, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_storeupd512_mask(p, v, PB_BITS(pb_first(m)));
#else
  PB_LANE(l) if (l < m) p[l] = v[l];
#endif
}
PB_INLINE void pb_store_some_int(int64_t *p, pb_w w, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_storedqudi512_mask((long long *)p, (pb_ll)w, PB_BITS(pb_first(m)));
#else
  PB_LANE(l) if (l < m) p[l] = w[l];
#endif
}
PB_INLINE void pb_store_some_bool(_Bool *p, pb_w w, int64_t m) { PB_LANE(l) if (l < m) p[l] = w[l] != 0; }
PB_INLINE void pb_scatter(double *p, pb_w at, pb_v v, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_scatterdiv8df(p, PB_BITS(pb_first(m)), (pb_ll)at, v, 8);
#else
  PB_LANE(l) if (l < m) p[at[l]] = v[l];
#endif
}
PB_INLINE void pb_scatter_int(int64_t *p, pb_w at, pb_w w, int64_t m) {
#ifdef PB_WIDE
  __builtin_ia32_scatterdiv8di((long long *)p, PB_BITS(pb_first(m)), (pb_ll)at, (pb_ll)w, 8);
#else
  PB_LANE(l) if (l < m) p[at[l]] = w[l];
#endif
}
PB_INLINE void pb_scatter_bool(_Bool *p, pb_w at, pb_w w, int64_t m) {
  PB_LANE(l) if (l < m) p[at[l]] = w[l] != 0;
}
/* Adds to elements side by side. */
PB_INLINE void pb_add_where(double *p, pb_v v, pb_w mask) {
#ifdef PB_WIDE
  const unsigned char bits = PB_BITS(mask);
  __builtin_ia32_storeupd512_mask(p, __builtin_ia32_loadupd512_mask(p, (pb_v){0}, bits) + v, bits);
#else
  if (pb_every(mask)) return pb_store(p, pb_load(p) + v);
  PB_LANE(l) if (mask[l]) p[l] += v[l];
#endif
}
/* Adds lane after lane: places may be the same. */
PB_INLINE void pb_add_each(double *p, pb_w at, pb_v v, pb_w mask) { PB_LANE(l) if (mask[l]) p[at[l]] += v[l]; }

/* Arrays of which each lane has its own: element after element, the lanes side by side. */
PB_INLINE pb_v pb_own_gather(const pb_v *p, pb_w at, pb_w mask) {
  pb_v v = {0};
  PB_LANE(l) if (mask[l]) v[l] = p[at[l]][l];
  return v;
}
PB_INLINE pb_w pb_own_gather_int(const pb_w *p, pb_w at, pb_w mask) {
  pb_w w = {0};
  PB_LANE(l) if (mask[l]) w[l] = p[at[l]][l];
  return w;
}
PB_INLINE void pb_add_own(pb_v *p, pb_w at, pb_v v, pb_w mask) {
  PB_LANE(l) if (mask[l]) p[at[l]][l] += v[l];
}

/* Turns eight vectors into those of their first lanes, of their second lanes and so on. */
PB_INLINE void pb_turn(pb_v v[8]) {
#ifdef PB_SHUFFLE
  pb_v a[8], b[8];
  for (int k = 0; k < 8; k += 2) {
    a[k] = __builtin_shufflevector(v[k], v[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = __builtin_shufflevector(v[k], v[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int l = k; l < k + 2; l++) {
      b[l] = __builtin_shufflevector(a[l], a[l + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[l + 2] = __builtin_shufflevector(a[l], a[l + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; k++) {
    v[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#else
  pb_v turned[8];
  for (int k = 0; k < 8; k++) PB_LANE(l) turned[k][l] = v[l][k];
  for (int k = 0; k < 8; k++) v[k] = turned[k];
#endif
}

/* Puts the rows of the first lanes to a place each, so many elements apart. */
PB_INLINE void pb_put_rows(double *p, int64_t stride, const pb_v *own, int64_t step, int64_t count, int64_t m) {
  for (int64_t e = 0; e < count; e += 8) {
    pb_v v[8];
    const int64_t some = count - e < 8 ? count - e : 8;
    for (int64_t k = 0; k < 8; k++) v[k] = k < some ? own[(e + k) * step] : (pb_v){0};
    pb_turn(v);
    if (some == 8 && m == 8) {
      PB_LANE(l) pb_store(p + l * stride + e, v[l]);
    } else {
      PB_LANE(l) if (l < m) pb_store_some(p + l * stride + e, v[l], some);
    }
  }
}
PB_INLINE void pb_put_rows_int(int64_t *p, int64_t stride, const pb_w *own, int64_t step, int64_t count, int64_t m) {
  pb_put_rows((double *)p, stride, (const pb_v *)own, step, count, m);
}

/* Room for arrays of a kernel, of sizes that may be negative; it begins with a line of the cache. */
static PB_UNUSED pb_block *pb_scratch(pb_ctx *c, int32_t site, const int64_t *d, int rank, uint64_t size) {
  uint64_t count = size;
  for (int k = 0; k < rank; k++)
    if (d[k] <= 0) count = 0;
  for (int k = 0; k < rank && count > 0; k++)
    if (__builtin_mul_overflow(count, (uint64_t)d[k], &count) || count > UINT64_MAX - 64)
      pb_out_of_memory(c, site, (uint64_t)d[k], size);
  return pb_buffer_of(c, site, PB_BOOL, count + 64);
}
#define PB_ALIGNED(b) ((void *)(((uintptr_t)PB_ITEMS(b) + 63) & ~(uintptr_t)63))

/* Functions that only numbers have, lane after lane. */
#define PB_EACH1(type, f, a) ({ \
  const __typeof__(a) each_a = (a); \
  type each_r; \
  PB_LANE(each_l) each_r[each_l] = f(each_a[each_l]); \
  each_r; })
#define PB_EACH2(type, f, a, b) ({ \
  const __typeof__(a) each_a = (a); \
  const __typeof__(b) each_b = (b); \
  type each_r; \
  PB_LANE(each_l) each_r[each_l] = f(each_a[each_l], each_b[each_l]); \
  each_r; })

PB_INLINE pb_v pb_v_Abs(pb_v x) { return (pb_v)((pb_w)x & INT64_MAX); }
PB_INLINE pb_w pb_v_IsNan(pb_v x) { return x != x; }
PB_INLINE pb_v pb_v_Max(pb_v x, pb_v y) {
#ifdef PB_WIDE
  const pb_v larger = __builtin_ia32_rangepd512_mask(x, y, 5, (pb_v){0}, (unsigned char)-1, 4);
  return pb_where((x == x) & (y == y), larger, pb_all((double)NAN));
#else
  pb_v max = pb_where(x > y, x, y);
  max = pb_where((x == y) & (x == 0.0), x + y, max);
  return pb_where((x == x) & (y == y), max, pb_all((double)NAN));
#endif
}
PB_INLINE pb_v pb_v_Min(pb_v x, pb_v y) {
#ifdef PB_WIDE
  const pb_v smaller = __builtin_ia32_rangepd512_mask(x, y, 4, (pb_v){0}, (unsigned char)-1, 4);
  return pb_where((x == x) & (y == y), smaller, pb_all((double)NAN));
#else
  return -pb_v_Max(-x, -y);
#endif
}
PB_INLINE pb_v pb_v_Signum(pb_v x) {
  pb_v sign = pb_where(x > 0.0, pb_all(1.0), pb_where(x < 0.0, pb_all(-1.0), pb_all(0.0)));
  return pb_where(x == x, sign, pb_all((double)NAN));
}
PB_INLINE pb_v pb_v_Sqrt(pb_v x) {
#ifdef PB_WIDE
  return __builtin_ia32_sqrtpd512_mask(x, (pb_v){0}, (unsigned char)-1, 4);
#else
  return PB_EACH1(pb_v, sqrt, x);
#endif
}
PB_INLINE pb_v pb_v_Floor(pb_v x) { return PB_EACH1(pb_v, floor, x); }
/* Remainders of the lanes whose quotients are large or no numbers. Mostly there are none. */
static PB_UNUSED __attribute__((noinline, cold)) void pb_v_rem_far(pb_v *rest, const pb_v *x, const pb_v *y, const pb_w *is_near) {
  PB_LANE(l) if (!(*is_near)[l]) (*rest)[l] = pb_rem_by_steps((*x)[l], (*y)[l]);
}
/* As `pb_rem`. */
PB_INLINE pb_v pb_v_Rem(pb_v x, pb_v y) {
#ifdef PB_FMA
  const pb_v times = pb_v_Floor(x / y);
  pb_v rest;
  PB_LANE(l) rest[l] = __builtin_fma(-times[l], y[l], x[l]);
  const pb_w is_near = (pb_v_Abs(times) < 0x1p52) & (rest == rest);
  rest += (pb_v)((pb_w)y & (rest != 0.0) & ((rest < 0.0) != (y < 0.0)));
  rest = pb_where(rest == 0.0, (pb_v)((pb_w)y & INT64_MIN), rest);
  if (__builtin_expect(!pb_every(is_near), 0)) {
    /* Copies: what has an address is kept in memory. */
    pb_v far = rest;
    const pb_v top = x, bottom = y;
    const pb_w near = is_near;
    pb_v_rem_far(&far, &top, &bottom, &near);
    rest = far;
  }
  return rest;
#else
  return PB_EACH2(pb_v, pb_rem_by_steps, x, y);
#endif
}
/* Where t is 0 the product is masked away, whatever x is. */
PB_INLINE pb_v pb_v_mul_zero(pb_v t, pb_v x) { return (pb_v)((pb_w)(t != 0.0) & (pb_w)(t * x)); }
/* The quotient as Reals give it, towards zero or one beyond: exact enough for Ints that are Reals, other than 0. */
PB_INLINE pb_w pb_near_quotient(pb_w m, pb_w n) {
  return __builtin_convertvector(__builtin_convertvector(m, pb_v) / __builtin_convertvector(n, pb_v), pb_w);
}
PB_INLINE int pb_are_reals(pb_w m, pb_w n) {
  const int64_t most = INT64_C(1) << 52;
  return pb_every((m >= -most) & (m <= most) & (n >= -most) & (n <= most) & (n != 0));
}
/* Lanes that are not at work may hold anything: nothing fails. */
PB_INLINE pb_w pb_v_IntDiv(pb_w m, pb_w n) {
  if (pb_are_reals(m, n)) {
    const pb_w near = pb_near_quotient(m, n), rest = m - near * n;
    return near + ((rest != 0) & ((rest < 0) != (n < 0)));
  }
  pb_w r;
  PB_LANE(l) r[l] = n[l] == 0 || n[l] == -1 ? (int64_t)(0 - (uint64_t)m[l] * (n[l] != 0))
                                            : m[l] / n[l] - (m[l] % n[l] != 0 && (m[l] < 0) != (n[l] < 0));
  return r;
}
PB_INLINE pb_w pb_v_IntRem(pb_w m, pb_w n) {
  if (pb_are_reals(m, n)) {
    const pb_w rest = m - pb_near_quotient(m, n) * n;
    return rest + ((rest != 0) & ((rest < 0) != (n < 0)) & n);
  }
  pb_w r;
  PB_LANE(l) {
    const int64_t rest = n[l] == 0 || n[l] == -1 ? 0 : m[l] % n[l];
    r[l] = rest != 0 && (rest < 0) != (n[l] < 0) ? rest + n[l] : rest;
  }
  return r;
}
