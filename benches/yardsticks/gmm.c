/* The log-posterior of a mixture of k Gaussians for n points in d dimensions, as in examples/gmm.pull: `gmm d k n`. */
#include "bench.h"
#include "gmm.h"

static double log_sum_exp(int n, const double *x) {
  double greatest = x[0], total = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > greatest) greatest = x[i];
  for (int i = 0; i < n; i++) total += exp(x[i] - greatest);
  return greatest + log(total);
}

static double objective(int d, int k, int n, const double *x, int m, double gamma, const double *alpha,
                        const double *mu, const double *q, const double *l, double *room) {
  int below = d * (d - 1) / 2;
  double *diagonals = room, *sums = room + (size_t)k * d, *weights = sums + k, *off = weights + k, *y = off + d;
  double frobenius = 0, all = 0, likelihood = 0;
  for (int j = 0; j < k; j++) {
    sums[j] = 0;
    for (int i = 0; i < d; i++) {
      diagonals[j * d + i] = exp(q[j * d + i]);
      sums[j] += q[j * d + i];
      frobenius += diagonals[j * d + i] * diagonals[j * d + i];
    }
    for (int i = 0; i < below; i++) frobenius += l[j * below + i] * l[j * below + i];
    all += sums[j];
  }
  for (int point = 0; point < n; point++) {
    for (int j = 0; j < k; j++) {
      for (int i = 0; i < d; i++) {
        off[i] = x[point * d + i] - mu[j * d + i];
        y[i] = diagonals[j * d + i] * off[i];
      }
      const double *entry = l + j * below;
      for (int column = 0; column < d; column++)
        for (int row = column + 1; row < d; row++) y[row] += *entry++ * off[column];
      double squares = 0;
      for (int i = 0; i < d; i++) squares += y[i] * y[i];
      weights[j] = alpha[j] + sums[j] - 0.5 * squares;
    }
    likelihood += log_sum_exp(k, weights);
  }
  const double pi = 3.14159265358979323846;
  double nu = d + m + 1, log_gamma = 0.25 * d * (d - 1) * log(pi);
  for (int j = 0; j < d; j++) log_gamma += lgamma(0.5 * nu - 0.5 * j);
  double normaliser = n * (0.5 * d * log(2 * pi) + log_sum_exp(k, alpha));
  double prior = k * (nu * d * log(gamma / sqrt(2)) - log_gamma);
  return likelihood - normaliser + prior - 0.5 * gamma * gamma * frobenius + m * all;
}

int main(int count, char **words) {
  if (count != 4) return 2;
  int d = atoi(words[1]), k = atoi(words[2]), n = atoi(words[3]), below = d * (d - 1) / 2;
  double *x = uniforms((size_t)n * d, -1, 1), *alpha = uniforms((size_t)k, -1, 1);
  double *mu = uniforms((size_t)k * d, 0, 1), *q = uniforms((size_t)k * d, -1, 1);
  double *l = uniforms((size_t)k * below, -1, 1), *room = uniforms((size_t)k * d + 2 * (size_t)k + 2 * (size_t)d, 0, 0);
  double yardstick, ours, derivative, theirs = 0, value = 0;
  MEDIAN(yardstick, theirs = objective(d, k, n, x, 0, 1.0, alpha, mu, q, l, room));
  gmm_context *context = gmm_open();
  gmm_reals_1 weights = {alpha, {k}}, alpha_bar;
  gmm_reals_2 points = {x, {n, d}}, means = {mu, {k, d}}, logs = {q, {k, d}}, rest = {l, {k, below}}, mu_bar, q_bar, l_bar;
  MEDIAN(ours, DO(gmm_objective(context, d, k, n, points, 0, 1.0, weights, means, logs, rest, &value)));
  agree("gmm", value, theirs);
  MEDIAN(derivative, DO(gmm_objective_grad(context, d, k, n, points, 0, 1.0, weights, means, logs, rest, &value,
                                           &alpha_bar, &mu_bar, &q_bar, &l_bar)));
  report(yardstick, ours, derivative);
  gmm_close(context);
  return 0;
}
