/* The loss of a long short-term memory with diagonal weights, as in examples/gradbench/lstm.pull: `lstm l t h`, for l
   layers and t letters of h numbers. */
#include "bench.h"
#include "lstm.h"

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double objective(int l, int t, int h, const double *main, const double *extra, const double *begin,
                        const double *sequence, double *room) {
  double *state = room, *x = room + 2 * (size_t)l * h, total = 0;
  memcpy(state, begin, 2 * (size_t)l * h * sizeof *state);
  for (int i = 0; i + 1 < t; i++) {
    for (int k = 0; k < h; k++) x[k] = sequence[i * h + k] * extra[k];
    for (int j = 0; j < l; j++) {
      const double *w = main + 2 * j * 4 * h, *b = w + 4 * h;
      double *hidden = state + 2 * j * h, *cell = hidden + h;
      for (int k = 0; k < h; k++) {
        double forget = sigmoid(x[k] * w[k] + b[k]), ingate = sigmoid(hidden[k] * w[h + k] + b[h + k]);
        double outgate = sigmoid(x[k] * w[2 * h + k] + b[2 * h + k]);
        double change = tanh(hidden[k] * w[3 * h + k] + b[3 * h + k]);
        cell[k] = cell[k] * forget + ingate * change;
        hidden[k] = outgate * tanh(cell[k]);
        x[k] = hidden[k];
      }
    }
    double sum = 0;
    for (int k = 0; k < h; k++) {
      x[k] = x[k] * extra[h + k] + extra[2 * h + k];
      sum += exp(x[k]);
    }
    double normaliser = log(sum + 2);
    for (int k = 0; k < h; k++) total += sequence[(i + 1) * h + k] * (x[k] - normaliser);
  }
  return -total / (h * (double)(t - 1));
}

int main(int count, char **words) {
  if (count != 4) return 2;
  int l = atoi(words[1]), t = atoi(words[2]), h = atoi(words[3]);
  double *main_params = uniforms((size_t)8 * l * h, -1, 1), *extra_params = uniforms((size_t)3 * h, -1, 1);
  double *begin = uniforms((size_t)2 * l * h, -1, 1), *sequence = uniforms((size_t)t * h, 0, 1);
  double *room = uniforms((size_t)2 * l * h + h, 0, 0), yardstick, ours, derivative, theirs = 0, value = 0;
  MEDIAN(yardstick, theirs = objective(l, t, h, main_params, extra_params, begin, sequence, room));
  lstm_context *context = lstm_open();
  lstm_reals_2 m = {main_params, {2 * l, 4 * h}}, e = {extra_params, {3, h}}, s = {begin, {2 * l, h}}, q = {sequence, {t, h}};
  lstm_reals_2 m_bar, e_bar;
  MEDIAN(ours, DO(lstm_objective(context, m, e, s, q, &value)));
  agree("lstm", value, theirs);
  MEDIAN(derivative, DO(lstm_objective_grad(context, m, e, s, q, &value, &m_bar, &e_bar)));
  report(yardstick, ours, derivative);
  lstm_close(context);
  return 0;
}
