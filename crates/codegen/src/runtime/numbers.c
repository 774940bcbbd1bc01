/* Primitives on scalars that C has no operator or function for, as the primitive table defines them. */

static inline PB_UNUSED double pb_max(double x, double y) {
  return x > y ? x : x < y ? y : x == y ? (x == 0.0 ? x + y : x) : (double)NAN;
}
static inline PB_UNUSED double pb_min(double x, double y) { return -pb_max(-x, -y); }
static inline PB_UNUSED double pb_signum(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : (double)NAN;
}
/* The remainder with the sign of y, also if it is 0, by the remainder with the sign of x. */
static PB_UNUSED double pb_rem_by_steps(double x, double y) {
  const double rest = fmod(x, y);
  return rest == 0.0 ? copysign(0.0, y) : (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__aarch64__)
#define PB_FMA 1
#endif
/* The same, faster where x / y rounds to less than 2^52: its floor is the true one or one more, since whole numbers
   of this size stay what they are. What is left by the floor is then rounded once, as by steps; what is left by one
   more is exact, and has the other sign. */
static inline PB_UNUSED double pb_rem(double x, double y) {
#ifdef PB_FMA
  const double times = floor(x / y), rest = __builtin_fma(-times, y, x);
  if (fabs(times) < 0x1p52 && rest == rest)
    return rest == 0.0 ? copysign(0.0, y) : (rest < 0.0) != (y < 0.0) ? rest + y : rest;
#endif
  return pb_rem_by_steps(x, y);
}
static inline PB_UNUSED double pb_hypot(double x, double y) { return __builtin_isnan(x) || __builtin_isnan(y) ? (double)NAN : hypot(x, y); }
static inline PB_UNUSED double pb_xlogy(double x, double y) { return x == 0.0 && !__builtin_isnan(y) ? 0.0 : x * log(y); }
static inline PB_UNUSED double pb_sech2(double x) { double sech = 1.0 / cosh(x); return sech * sech; }
static inline PB_UNUSED double pb_sigmoid(double x) {
  double e = exp(-fabs(x));
  return x >= 0.0 ? 1.0 / (1.0 + e) : __builtin_isnan(x) ? x : e / (1.0 + e);
}
static inline PB_UNUSED double pb_softplus(double x) {
  return __builtin_isnan(x) ? x : (x > 0.0 ? x : 0.0) + log1p(exp(-fabs(x)));
}
static inline PB_UNUSED double pb_lgamma(double x) {
#ifdef PB_STRICT
  return pb_functions.lgamma(x);
#else
  int sign;
  return lgamma_r(x, &sign);
#endif
}
static inline PB_UNUSED double pb_pow_int(double x, int64_t n) {
  uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;
  double power = x, product = 1.0;
  while (rest > 0) {
    if (rest & 1) product *= power;
    rest >>= 1;
    if (rest > 0) power *= power;
  }
  return n < 0 ? 1.0 / product : product;
}
static inline PB_UNUSED double pb_pow_slope(double x, int64_t n) {
  return n == 0 ? 0.0 : (double)n * pb_pow_int(x, n == INT64_MIN ? n : n - 1);
}
static inline PB_UNUSED double pb_mul_zero(double t, double x) { return t == 0.0 ? 0.0 : t * x; }

static PB_UNUSED double pb_cot_pi(double x) {
  const double pi = 0x1.921fb54442d18p+1;
  double rest = x - round(x);
  return fabs(rest) > 0.25 ? copysign(tan(pi * (0.5 - fabs(rest))), rest) : 1.0 / tan(pi * rest);
}
static PB_UNUSED double pb_digamma(double x) {
  static const double series[8] = {1.0 / 12.0,  -1.0 / 120.0,     1.0 / 252.0, -1.0 / 240.0,
                                   1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0,  -3617.0 / 8160.0};
  const double pi = 0x1.921fb54442d18p+1;
  if (__builtin_isnan(x) || (x <= 0.0 && x == floor(x))) return NAN;
  double reflected = 0.0;
  int is_reflected = x < 0.0;
  if (is_reflected) {
    reflected = pi * pb_cot_pi(x);
    x = 1.0 - x;
  }
  double shifted = x, sum = 0.0;
  while (shifted < 10.0) {
    sum += 1.0 / shifted;
    shifted += 1.0;
  }
  double inverse = 1.0 / shifted, square = inverse * inverse, rest = 0.0;
  for (int k = 7; k >= 0; k--) rest = (rest + series[k]) * square;
  double value = (log(shifted) - 0.5 * inverse - rest) - sum;
  return is_reflected ? value - reflected : value;
}

static inline double pb_relative_power(double x, double k, double s) {
  return k < 0.5 * x ? exp(-s * log1p(k / x)) : pow(x / (x + k), s);
}
static double pb_factorial_over_power(int64_t n, double x) {
  double product = 1.0 / x;
  for (int64_t j = 1; j <= n; j++) {
    product *= (double)j / x;
    if (product == 0.0 || __builtin_isinf(product)) break;
  }
  return product;
}
static double pb_positive_polygamma(int64_t n, double x) {
  static const double bernoulli[12] = {1.0 / 12.0,
                                       -1.0 / 720.0,
                                       1.0 / 30240.0,
                                       -1.0 / 1209600.0,
                                       1.0 / 47900160.0,
                                       -691.0 / 1307674368000.0,
                                       1.0 / 74724249600.0,
                                       -3617.0 / 10670622842880000.0,
                                       43867.0 / 5109094217170944000.0,
                                       -174611.0 / 802857662698291200000.0,
                                       77683.0 / 14101100039391805440000.0,
                                       -236364091.0 / 1693824136731743669452800000.0};
  if (x == INFINITY) return 0.0;
  double s = (double)n + 1.0, sum = 0.0;
  for (double k = 0.0; k < 12.0; k += 1.0) sum += pb_relative_power(x, k, s);
  double end = x + 12.0, tail = pb_relative_power(x, 12.0, s);
  sum += tail * (end / (s - 1.0) + 0.5);
  double rising = s / end, shift = s;
  for (int k = 0; k < 12; k++) {
    double term = bernoulli[k] * rising * tail;
    sum += term;
    if (fabs(term) <= 1e-18 * fabs(sum)) break;
    rising *= (shift + 1.0) * (shift + 2.0) / (end * end);
    shift += 2.0;
  }
  return sum * pb_factorial_over_power(n, x);
}
/* The derivative of the cotangent: a polynomial in it, whose coefficients have one sign. */
static double pb_reflection(int64_t n, double x) {
  const double pi = 0x1.921fb54442d18p+1;
  double cot = pb_cot_pi(x), polynomial[104] = {0.0, pi};
  for (int64_t round = 0; round < n; round++) {
    double next[104] = {0.0};
    for (int64_t power = 1; power < round + 2; power++) {
      double slope = -pi * polynomial[power] * (double)power;
      next[power - 1] += slope;
      next[power + 1] += slope;
    }
    memcpy(polynomial, next, sizeof next);
  }
  double value = 0.0;
  for (int64_t power = n + 1; power >= 0; power--) value = value * cot + polynomial[power];
  return value;
}
static PB_UNUSED double pb_polygamma(int64_t n, double x) {
  if (n == 0) return pb_digamma(x);
  if (n < 0 || __builtin_isnan(x) || (x <= 0.0 && x == floor(x))) return NAN;
  double sign = n % 2 == 0 ? -1.0 : 1.0;
  if (x > 0.0) return sign * pb_positive_polygamma(n, x);
  if (n > 100) {
    double centre = round(-x), nearest = x + centre, sum = 0.0;
    for (double k = centre > 32.0 ? centre - 32.0 : 0.0; k <= centre + 32.0; k += 1.0)
      sum += pb_pow_int(nearest / (x + k), n == INT64_MAX ? n : n + 1);
    return sign * (sum * pb_factorial_over_power(n, nearest));
  }
  return -pb_positive_polygamma(n, 1.0 - x) - pb_reflection(n, x);
}

/* Int arithmetic: a result that is none fails, with the number of the primitive. */
#define PB_FAIL_INTS(prim, m, n) pb_fail(c, site, PB_F_INTS, prim, m, n)
static inline PB_UNUSED int64_t pb_int_add(pb_ctx *c, int32_t site, int prim, int64_t m, int64_t n) {
  int64_t r;
  if (PB_RARE(__builtin_add_overflow(m, n, &r))) PB_FAIL_INTS(prim, m, n);
  return r;
}
static inline PB_UNUSED int64_t pb_int_sub(pb_ctx *c, int32_t site, int prim, int64_t m, int64_t n) {
  int64_t r;
  if (PB_RARE(__builtin_sub_overflow(m, n, &r))) PB_FAIL_INTS(prim, m, n);
  return r;
}
static inline PB_UNUSED int64_t pb_int_mul(pb_ctx *c, int32_t site, int prim, int64_t m, int64_t n) {
  int64_t r;
  if (PB_RARE(__builtin_mul_overflow(m, n, &r))) PB_FAIL_INTS(prim, m, n);
  return r;
}
static inline PB_UNUSED int64_t pb_int_div(pb_ctx *c, int32_t site, int prim, int64_t m, int64_t n) {
  if (PB_RARE(n == 0 || (m == INT64_MIN && n == -1))) PB_FAIL_INTS(prim, m, n);
  return m / n - (m % n != 0 && (m < 0) != (n < 0));
}
static inline PB_UNUSED int64_t pb_int_rem(pb_ctx *c, int32_t site, int prim, int64_t m, int64_t n) {
  if (PB_RARE(n == 0)) PB_FAIL_INTS(prim, m, n);
  if (n == -1) return 0;
  int64_t rest = m % n;
  return rest != 0 && (rest < 0) != (n < 0) ? rest + n : rest;
}
static PB_UNUSED int64_t pb_int_pow(pb_ctx *c, int32_t site, int prim, int64_t m, int64_t n) {
  if (n < 0) PB_FAIL_INTS(prim, m, n);
  if (m == 0) return n == 0;
  if (m == 1) return 1;
  if (m == -1) return n % 2 == 0 ? 1 : -1;
  int64_t product = 1, power = m, rest = n;
  while (rest > 0) {
    if ((rest & 1) && __builtin_mul_overflow(product, power, &product)) PB_FAIL_INTS(prim, m, n);
    rest >>= 1;
    if (rest > 0 && __builtin_mul_overflow(power, power, &power)) PB_FAIL_INTS(prim, m, n);
  }
  return product;
}
static inline PB_UNUSED int64_t pb_int_neg(pb_ctx *c, int32_t site, int prim, int64_t n) {
  if (PB_RARE(n == INT64_MIN)) PB_FAIL_INTS(prim, n, 0);
  return -n;
}
static inline PB_UNUSED int64_t pb_int_abs(pb_ctx *c, int32_t site, int prim, int64_t n) {
  if (PB_RARE(n == INT64_MIN)) PB_FAIL_INTS(prim, n, 0);
  return n < 0 ? -n : n;
}
static inline PB_UNUSED int64_t pb_to_int(pb_ctx *c, int32_t site, double x) {
  double whole = trunc(x);
  if (PB_RARE(!(whole >= -0x1p63 && whole < 0x1p63))) pb_fail_no_int(c, site, x);
  return (int64_t)whole;
}
static inline PB_UNUSED int64_t pb_int_max(int64_t m, int64_t n) { return m > n ? m : n; }
static inline PB_UNUSED int64_t pb_int_min(int64_t m, int64_t n) { return m < n ? m : n; }
static inline PB_UNUSED int64_t pb_int_signum(int64_t n) { return (n > 0) - (n < 0); }
