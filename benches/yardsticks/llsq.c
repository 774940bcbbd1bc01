/* Least squares for a polynomial of m coefficients on n points, as in examples/gradbench/llsq.pull: `llsq n m`. */
#include "bench.h"
#include "llsq.h"

static double primal(int n, int m, const double *x) {
  double total = 0;
  for (int i = 0; i < n; i++) {
    double t = -1 + 2.0 * i / (n - 1), value = 0;
    for (int j = m - 1; j >= 0; j--) value = value * t + x[j];
    double sign = t > 0 ? 1 : t < 0 ? -1 : 0;
    total += (sign - value) * (sign - value);
  }
  return 0.5 * total;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  int n = atoi(words[1]), m = atoi(words[2]);
  double *x = uniforms((size_t)m, 0, 1), yardstick, ours, derivative, theirs = 0, value = 0;
  MEDIAN(yardstick, theirs = primal(n, m, x));
  llsq_context *context = llsq_open();
  llsq_reals_1 given = {x, {m}}, x_bar;
  MEDIAN(ours, DO(llsq_primal(context, given, n, &value)));
  agree("llsq", value, theirs);
  MEDIAN(derivative, DO(llsq_primal_grad(context, given, n, &value, &x_bar)));
  report(yardstick, ours, derivative);
  llsq_close(context);
  return 0;
}
