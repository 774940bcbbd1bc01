/* More functions on the lanes of a part that come of exponentials and logarithms, within 2 units in the last place. */

static const double pb_sinh_terms[7] = {
  0x1.5555555555555p-3, 0x1.11111111110fdp-7, 0x1.a01a01a01ee7p-13, 0x1.71de3a4e14f4p-19, 0x1.ae6460fae3728p-26,
  0x1.611cb330c1fe8p-33, 0x1.b41232cf9950fp-41};
static const double pb_erf_terms[12] = {
  0x1.06eba8214db68p-3, -0x1.812746b0379c1p-2, 0x1.ce2f21a040f66p-4, -0x1.b82ce31203772p-6, 0x1.565bccfa44156p-8,
  -0x1.c02db0665e53dp-11, 0x1.f9a2be4f731a1p-14, -0x1.f4ca838adb73bp-17, 0x1.b981d78881a5dp-20,
  -0x1.5c131500d3f88p-23, 0x1.d76af6ca49787p-27, -0x1.ac9585a44fe29p-31};
static const double pb_tail_terms[15] = {
  0x1.6e9827d229d2dp-3, -0x1.4e102b9cf8512p-2, 0x1.f6ff20410599bp-3, -0x1.336ffbef08cbbp-3, 0x1.258b13b0139fep-4,
  -0x1.8fa58eb5bd68fp-6, 0x1.17c838fea5806p-8, 0x1.73101ea8fe252p-11, -0x1.39085a31b18abp-11, 0x1.7b9fc8eb630e9p-15,
  0x1.0cb1db32e0c9fp-14, -0x1.af2329d757293p-17, -0x1.0cb4611cc29f6p-17, 0x1.0f9a79cee3e31p-19, 0x1.57a5fe2b9b75ep-20};
static const double pb_erfc_terms[24] = {
  0x1.3e0a99a0ee914p+0, -0x1.1ebd220ea593bp-3, -0x1.59e2c284b0e6dp-7, 0x1.8f702ec6b32d7p-4, -0x1.d76830c354d91p-4,
  0x1.686106046fc9p-4, -0x1.8ff5ef767c509p-5, 0x1.38ec6670d393cp-6, -0x1.143c4cc921f6bp-8, -0x1.3cf368c57f582p-12,
  0x1.27e66cc5c7c0ep-11, -0x1.fda91d89e5983p-14, -0x1.66e477efdfac8p-15, 0x1.970a1cbb854c5p-16, 0x1.38f21d7c35508p-19,
  -0x1.0010ad3aaad61p-18, -0x1.b4390a3e56afdp-25, 0x1.435cd0eb26672p-21, 0x1.abce016aa4f4bp-34, -0x1.99919e5f3349cp-24,
  -0x1.57839408b3012p-28, 0x1.98cbad0d45d13p-27, 0x1.cbde2e79e4c39p-30, -0x1.d9032bfc56302p-32};
static const double pb_log_terms[8] = {
  0x1.3333333333333p-1, 0x1.b6db6db6db7b4p-2, 0x1.555555552fc41p-2, 0x1.1745d19c1f28fp-2, 0x1.d89d60943a82dp-3,
  0x1.99a5341ab7aa7p-3, 0x1.679cb97760752p-3, 0x1.682bdc1b45fa4p-3};

/* Half of exp a, which is finite wherever cosh is. */
PB_INLINE pb_p pb_half_exp(pb_p a) {
  a = pb_p_where(a > 712.0, pb_p_all(712.0), a);
  pb_q n;
  pb_p r = pb_reduced(a, &n);
  return (1.0 + (r + r * r * pb_series(r))) * pb_power_of_two(n >> 1) * pb_power_of_two(n - (n >> 1) - 1);
}
PB_MATHS pb_p pb_p_Cosh(pb_p x) {
  pb_p half = pb_half_exp(pb_p_Abs(x));
  return half + 0.25 / half;
}
PB_MATHS pb_p pb_p_Sinh(pb_p x) {
  pb_p a = pb_p_Abs(x), z = x * x, half = pb_half_exp(a);
  pb_p small = x + x * z * pb_polynomial(z, pb_sinh_terms, 7);
  pb_p large = (pb_p)((pb_q)(half - 0.25 / half) | ((pb_q)x & INT64_MIN));
  return pb_p_where(a < 1.0, small, large);
}
PB_MATHS pb_p pb_p_Log1p(pb_p x) {
  pb_p lack, u = pb_exact_sum(x, pb_p_all(1.0), &lack);
  pb_p value = pb_log_of(u, lack / u);
  value = pb_p_where(pb_p_Abs(x) < 0x1p-54, x, value);
  value = pb_p_where(x == -1.0, pb_p_all(-(double)INFINITY), value);
  value = pb_p_where(x == (double)INFINITY, x, value);
  return pb_p_where(x >= -1.0, value, pb_p_all((double)NAN));
}
PB_MATHS pb_p pb_p_Softplus(pb_p x) {
  return pb_p_where(x > 0.0, x, pb_p_all(0.0)) + pb_p_Log1p(pb_p_Exp(-pb_p_Abs(x)));
}
PB_MATHS pb_p pb_p_Xlogy(pb_p x, pb_p y) {
  return pb_p_where((x == 0.0) & (y == y), pb_p_all(0.0), x * pb_p_Log(y));
}
/* Up to 1 x + x p(x^2); beyond 1 - exp(-x^2) q((x - 3) / (x + 3)). */
PB_MATHS pb_p pb_p_Erf(pb_p x) {
  pb_p a = pb_p_Abs(x), z = x * x;
  pb_p small = x + x * pb_polynomial(z, pb_erf_terms, 12);
  a = pb_p_where(a > 6.0, pb_p_all(6.0), a);
  pb_p tail = pb_p_Exp(-(a * a)) * pb_polynomial((a - 3.0) / (a + 3.0), pb_tail_terms, 15);
  pb_p large = (pb_p)((pb_q)(1.0 - tail) | ((pb_q)x & INT64_MIN));
  return pb_p_where(a < 1.0, small, large);
}

/* Up to 1/2 it is 1 - erf x; beyond, of a = |x|, exp(-a^2) q((a - 3.5) / (a + 3.5)) / (1 + 2 a) with the rests of a^2, of
   q and of 1 + 2 a. */
PB_MATHS pb_p pb_p_Erfc(pb_p x) {
  pb_p a = pb_p_Abs(x), near = 1.0 - (x + x * pb_polynomial(x * x, pb_erf_terms, 12));
  a = pb_p_where(a > 27.25, pb_p_all(27.25), a);
  pb_p first = pb_high(a), low = (first - a) * (first + a), rest, lack;
  pb_q n, half;
  pb_p r = pb_reduced_more(-(first * first), low, &rest, &n);
  pb_p t = (a - 3.5) / (a + 3.5), more = 1.0 + 2.0 * a;
  pb_p q = pb_exact_sum(pb_p_all(pb_erfc_terms[0]), t * pb_polynomial(t, pb_erfc_terms + 1, 23), &lack);
  pb_p value = pb_ratio(q, lack, more, (1.0 - more) + 2.0 * a);
  half = n >> 1;
  value = (value + value * (r + rest)) * pb_power_of_two(half) * pb_power_of_two(n - half);
  return pb_p_where(a < 0.5, near, pb_p_where(x < 0.0, 2.0 - value, value));
}

/* log x, and what that lacks of 66 bits, for x above 0 and finite: (2/3) s (3 + s^2 + s^4 q(s^2)) for
   s = (m - 1) / (m + 1), in parts whose products are exact. */
PB_INLINE pb_p pb_long_log(pb_p x, pb_p *rest) {
  pb_p k, m = pb_mantissa(x, &k);
  pb_p f = m - 1.0, d = m + 1.0, d1 = pb_high(d), d2 = m - (d1 - 1.0), inverse = 1.0 / d;
  pb_p s = f * inverse, s1 = pb_high(s), s2 = ((f - s1 * d1) - s1 * d2) * inverse;
  pb_p z1 = s1 * s1, z2 = s2 * (s + s1), z = z1 + z2;
  pb_p more = z2 + z * z * pb_polynomial(z, pb_log_terms, 8);
  pb_p t = 3.0 + (z1 + more), t1 = pb_high(t), t2 = more - ((t1 - 3.0) - z1);
  pb_p p1 = s1 * t1, p2 = s2 * t + s1 * t2;
  pb_p p = pb_high(p1 + p2), q = p2 - (p - p1);
  const double log2 = 0x1.62e42fefa0000p-1, third = 0x1.555555p-1;
  pb_p high = k * log2 + p * third;
  *rest = ((k * log2 - high) + p * third) + (k * 0x1.cf79abc9e3b3ap-40 + (q * 0x1.5555555555555p-1 + p * 0x1.5555555555555p-27));
  return high;
}
PB_INLINE pb_q pb_is_whole(pb_p x) {
  pb_p a = pb_p_Abs(x);
  return (a >= 0x1p52) | ((a + 0x1p52) - 0x1p52 == a);
}
PB_MATHS pb_p pb_p_Pow(pb_p x, pb_p y) {
  const double infinity = (double)INFINITY;
  pb_p a = pb_p_Abs(x), rest, log = pb_long_log(a, &rest);
  /* Powers of such exponents are 0, 1 or infinite, and their products are finite. */
  pb_p to = pb_p_where(y > 0x1p64, pb_p_all(0x1p64), y);
  to = pb_p_where(to < -0x1p64, pb_p_all(-0x1p64), to);
  pb_p log1 = pb_high(log), log2 = (log - log1) + rest, to1 = pb_high(to);
  pb_p high = to1 * log1, low = to * log2 + (to - to1) * log1, e = high + low;
  low = low - (e - high);
  pb_q is_over = e > 710.0, is_under = e < -750.0;
  e = pb_p_where(is_over, pb_p_all(710.0), pb_p_where(is_under, pb_p_all(-750.0), e));
  low = pb_p_where(is_over | is_under, pb_p_all(0.0), low);
  pb_q n;
  pb_p r = pb_reduced_more(e, low, &rest, &n);
  pb_q half = n >> 1;
  pb_p value = (1.0 + (r + rest)) * pb_power_of_two(half) * pb_power_of_two(n - half);
  /* Bases of 0 or infinite size, negative ones, and what is 1 whatever the other is. */
  pb_q is_zero = a == 0.0, is_edge = is_zero | (a == infinity);
  value = pb_p_where(is_edge & (y == y), pb_p_where(is_zero ^ (y < 0.0), pb_p_all(0.0), pb_p_all(infinity)), value);
  pb_q is_whole = pb_is_whole(y), is_odd = is_whole & ~pb_is_whole(0.5 * y);
  value = pb_p_where((x < 0.0) & ~is_whole & ~is_edge, pb_p_all((double)NAN), value);
  value = (pb_p)((pb_q)value ^ ((pb_q)x & is_odd & INT64_MIN));
  value = pb_p_where((x == x) & (y == y), value, pb_p_all((double)NAN));
  return pb_p_where((x == 1.0) | (y == 0.0), pb_p_all(1.0), value);
}

PB_INLINE pb_v pb_v_Cosh(pb_v x) { return PB_MAP1(pb_v, pb_p_Cosh, x); }
PB_INLINE pb_v pb_v_Sinh(pb_v x) { return PB_MAP1(pb_v, pb_p_Sinh, x); }
PB_INLINE pb_v pb_v_Log1p(pb_v x) { return PB_MAP1(pb_v, pb_p_Log1p, x); }
PB_INLINE pb_v pb_v_Softplus(pb_v x) { return PB_MAP1(pb_v, pb_p_Softplus, x); }
PB_INLINE pb_v pb_v_Erf(pb_v x) { return PB_MAP1(pb_v, pb_p_Erf, x); }
PB_INLINE pb_v pb_v_Erfc(pb_v x) { return PB_MAP1(pb_v, pb_p_Erfc, x); }
PB_INLINE pb_v pb_v_Xlogy(pb_v x, pb_v y) { return PB_MAP2(pb_v, pb_p_Xlogy, x, y); }
PB_INLINE pb_v pb_v_Pow(pb_v x, pb_v y) { return PB_MAP2(pb_v, pb_p_Pow, x, y); }
