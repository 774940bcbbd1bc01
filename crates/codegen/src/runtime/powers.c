/* More functions on eight lanes that come of exponentials and logarithms, within 2 units in the last place. */

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
/* Half of exp a, which is finite wherever cosh is. */
PB_INLINE pb_v pb_half_exp(pb_v a) {
  a = pb_where(a > 712.0, pb_all(712.0), a);
  pb_w n;
  pb_v r = pb_reduced(a, &n);
  return (1.0 + (r + r * r * pb_series(r))) * pb_power_of_two(n >> 1) * pb_power_of_two(n - (n >> 1) - 1);
}
PB_INLINE pb_v pb_v_Cosh(pb_v x) {
  pb_v half = pb_half_exp(pb_v_Abs(x));
  return half + 0.25 / half;
}
PB_INLINE pb_v pb_v_Sinh(pb_v x) {
  pb_v a = pb_v_Abs(x), z = x * x, half = pb_half_exp(a);
  pb_v small = x + x * z * pb_polynomial(z, pb_sinh_terms, 7);
  pb_v large = (pb_v)((pb_w)(half - 0.25 / half) | ((pb_w)x & INT64_MIN));
  return pb_where(a < 1.0, small, large);
}
PB_INLINE pb_v pb_v_Log1p(pb_v x) {
  pb_v lack, u = pb_exact_sum(x, pb_all(1.0), &lack);
  pb_v value = pb_log_of(u, lack / u);
  value = pb_where(pb_v_Abs(x) < 0x1p-54, x, value);
  value = pb_where(x == -1.0, pb_all(-(double)INFINITY), value);
  value = pb_where(x == (double)INFINITY, x, value);
  return pb_where(x >= -1.0, value, pb_all((double)NAN));
}
PB_INLINE pb_v pb_v_Softplus(pb_v x) {
  return pb_where(x > 0.0, x, pb_all(0.0)) + pb_v_Log1p(pb_v_Exp(-pb_v_Abs(x)));
}
PB_INLINE pb_v pb_v_Xlogy(pb_v x, pb_v y) {
  return pb_where((x == 0.0) & (y == y), pb_all(0.0), x * pb_v_Log(y));
}
/* Up to 1 x + x p(x^2); beyond 1 - exp(-x^2) q((x - 3) / (x + 3)). */
PB_INLINE pb_v pb_v_Erf(pb_v x) {
  pb_v a = pb_v_Abs(x), z = x * x;
  pb_v small = x + x * pb_polynomial(z, pb_erf_terms, 12);
  a = pb_where(a > 6.0, pb_all(6.0), a);
  pb_v tail = pb_v_Exp(-(a * a)) * pb_polynomial((a - 3.0) / (a + 3.0), pb_tail_terms, 15);
  pb_v large = (pb_v)((pb_w)(1.0 - tail) | ((pb_w)x & INT64_MIN));
  return pb_where(a < 1.0, small, large);
}
