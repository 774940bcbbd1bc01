/* Gives a library Strings, right and wrong ones. Prints how many answers were wrong. The library is a part of this file. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strings.c"

static int wrong = 0;

#define RIGHT(condition) \
  do { \
    if (!(condition)) { \
      wrong++; \
      fprintf(stderr, "%d: %s (%s)\n", __LINE__, #condition, strings_message(context)); \
    } \
  } while (0)

/* The call fails with a status, and says these words. */
#define FAILS(call, wanted, words) \
  do { \
    const int status = (call); \
    RIGHT(status == wanted && strstr(strings_message(context), words)); \
  } while (0)

#define TEXT(text) (strings_string){text, sizeof(text) - 1}
#define TEXTS(...) (strings_strings_1){(const strings_string[]){__VA_ARGS__}, {sizeof((strings_string[]){__VA_ARGS__}) / sizeof(strings_string)}}
#define NO_TEXTS (strings_strings_1){0, {0}}
#define INTS(...) (strings_ints_1){(const int64_t[]){__VA_ARGS__}, {sizeof((int64_t[]){__VA_ARGS__}) / 8}}
#define REALS(...) (strings_reals_1){(const double[]){__VA_ARGS__}, {sizeof((double[]){__VA_ARGS__}) / 8}}
#define NO_REALS (strings_reals_1){0, {0}}

static int is(strings_string found, strings_string wanted) {
  return found.size == wanted.size && !memcmp(found.data, wanted.data, (size_t)found.size);
}

static int are(strings_strings_1 found, strings_strings_1 wanted) {
  if (found.size[0] != wanted.size[0]) return 0;
  for (int64_t k = 0; k < found.size[0]; k++)
    if (!is(found.data[k], wanted.data[k])) return 0;
  return 1;
}

static int are_reals(strings_reals_1 found, strings_reals_1 wanted) {
  return found.size[0] == wanted.size[0] && (!found.size[0] || !memcmp(found.data, wanted.data, (size_t)found.size[0] * 8));
}

static int are_ints(strings_ints_1 found, strings_ints_1 wanted) {
  return found.size[0] == wanted.size[0] && !memcmp(found.data, wanted.data, (size_t)found.size[0] * 8);
}

static void single(strings_context *context) {
  bool same;
  double value, bar;
  strings_string text;
  RIGHT(strings_same(context, TEXT(""), (strings_string){0, 0}, &same) == 0 && same);
  RIGHT(strings_same(context, TEXT("a\0b"), TEXT("a\0c"), &same) == 0 && !same);
  RIGHT(strings_same(context, TEXT("a\0b"), TEXT("a\0b"), &same) == 0 && same);
  RIGHT(strings_joined(context, TEXT("π\0"), TEXT("🙂"), &text) == 0 && is(text, TEXT("π\0🙂")));
  RIGHT(strings_joined(context, TEXT(""), TEXT(""), &text) == 0 && text.size == 0);
  RIGHT(strings_constant(context, 1.0, &text) == 0 && is(text, TEXT("positive: π🙂")));
  RIGHT(strings_constant(context, -1.0, &text) == 0 && text.size == 0);
  RIGHT(strings_scale_grad(context, TEXT("km"), 2.0, &value, &bar) == 0 && value == 2000.0 && bar == 1000.0);
  RIGHT(strings_scale_hvp(context, TEXT("m"), 2.0, 1.0, &bar) == 0 && bar == 0.0);
  RIGHT(strings_told(context, TEXT("x"), 1.0, &value) == 0 && value == 1.0);
  FAILS(strings_told(context, TEXT("x 🙂"), -1.0, &value), 1, "no x 🙂");
  /* Megabytes, several times: the context holds them for one call alone. */
  enum { MANY = 5000000 };
  char *long_text = malloc(MANY);
  memset(long_text, 'x', MANY);
  const strings_string large = {long_text, MANY};
  strings_limit(context, 40000000, 4 << 20);
  for (int k = 0; k < 20; k++) {
    RIGHT(strings_joined(context, large, large, &text) == 0 && text.size == 2 * MANY);
    RIGHT(text.data[0] == 'x' && text.data[2 * MANY - 1] == 'x');
  }
  strings_limit(context, 1000000, 4 << 20);
  FAILS(strings_joined(context, large, large, &text), 2, "out of memory");
  strings_limit(context, UINT64_C(1) << 40, 4 << 20);
  RIGHT(strings_joined(context, TEXT("a"), TEXT("b"), &text) == 0 && is(text, TEXT("ab")));
  free(long_text);
}

static void arrays(strings_context *context) {
  double value;
  strings_reals_1 bar;
  strings_strings_1 texts, others;
  RIGHT(strings_total_grad(context, TEXTS(TEXT("km"), TEXT("m")), REALS(2.0, 3.0), &value, &bar) == 0);
  RIGHT(value == 4009.0 && are_reals(bar, REALS(4000.0, 6.0)));
  RIGHT(strings_total(context, NO_TEXTS, NO_REALS, &value) == 0 && value == 0.0);
  RIGHT(strings_reversed(context, TEXTS(TEXT("a\0"), TEXT(""), TEXT("🙂")), &texts) == 0);
  RIGHT(are(texts, TEXTS(TEXT("🙂"), TEXT(""), TEXT("a\0"))));
  RIGHT(strings_reversed(context, NO_TEXTS, &texts) == 0 && texts.size[0] == 0);
  RIGHT(strings_both(context, TEXTS(TEXT("a"), TEXT("b")), &texts, &others) == 0);
  RIGHT(are(texts, TEXTS(TEXT("a"), TEXT("b"))) && are(others, texts));
  RIGHT(strings_repeated(context, TEXT("n"), 3, &texts) == 0 && are(texts, TEXTS(TEXT("n0"), TEXT("n1"), TEXT("n2"))));
  RIGHT(strings_repeated(context, TEXT("n"), 0, &texts) == 0 && texts.size[0] == 0);
  const strings_string six[] = {TEXT("a"), TEXT("b"), TEXT("c"), TEXT("d"), TEXT("e"), TEXT("f")};
  strings_strings_2 rows;
  RIGHT(strings_swapped(context, (strings_strings_2){six, {2, 3}}, &rows) == 0 && rows.size[0] == 3 && rows.size[1] == 2);
  RIGHT(is(rows.data[1], TEXT("d")) && is(rows.data[4], TEXT("c")));
  RIGHT(strings_swapped(context, (strings_strings_2){0, {0, 3}}, &rows) == 0 && rows.size[0] == 3 && rows.size[1] == 0);
  strings_strings_2 words;
  RIGHT(strings_rows(context, TEXTS(TEXT("x"), TEXT("y")), REALS(3.0, 4.0), (strings_strings_2){six, {2, 2}}, &texts, &value, &words) == 0);
  RIGHT(are(texts, TEXTS(TEXT("x"), TEXT("y"))) && value == 25.0 && is(words.data[0], TEXT("b")) && is(words.data[3], TEXT("c")));
}

static void sums(strings_context *context) {
  double value;
  strings_ints_1 ints;
  strings_reals_1 reals, bar;
  strings_strings_1 texts;
  RIGHT(strings_weight_grad(context, INTS(1), REALS(2.0), TEXTS(TEXT("km")), &value, &bar) == 0);
  RIGHT(value == 4000.0 && are_reals(bar, REALS(4000.0)));
  /* Group [Named "km" 1, Tagged ["a", ""] 3, Group [Named "" 2], Plain] */
  const strings_ints_1 all = INTS(2, 4, 1, 3, 2, 3, 2, 1, 1, 0);
  const strings_strings_1 words = TEXTS(TEXT("km"), TEXT("a"), TEXT(""), TEXT("🙂"));
  RIGHT(strings_weight_grad(context, all, REALS(1.0, 2.0), words, &value, &bar) == 0);
  RIGHT(value == 1000.0 + 6.0 + 4.0 + 1.0 && are_reals(bar, REALS(2000.0, 4.0)));
  RIGHT(strings_doubled_vjp(context, all, REALS(1.0, 2.0), words, REALS(1.0, 10.0), &ints, &reals, &texts, &bar) == 0);
  RIGHT(are_ints(ints, INTS(2, 4, 1, 3, 2, 6, 2, 1, 1, 0)) && are_reals(reals, REALS(2.0, 4.0)) && are_reals(bar, REALS(2.0, 20.0)));
  RIGHT(are(texts, TEXTS(TEXT("kmkm"), TEXT("a!"), TEXT("!"), TEXT("🙂🙂"))));
  RIGHT(strings_doubled_jvp(context, all, REALS(1.0, 2.0), words, REALS(1.0, 10.0), &ints, &reals, &texts, &bar) == 0);
  RIGHT(are_reals(bar, REALS(2.0, 20.0)));
  RIGHT(strings_names(context, INTS(3, 1, 0, 2, 0), REALS(1.0), TEXTS(TEXT("a\0b")), &texts) == 0);
  RIGHT(are(texts, TEXTS(TEXT("a\0b"), TEXT("plain"), TEXT("group"))));
  RIGHT(strings_found(context, TEXT("me"), 1.0, &ints, &texts) == 0 && ints.size[0] == 1 && are(texts, TEXTS(TEXT("me"))));
  RIGHT(strings_found(context, TEXT("me"), -1.0, &ints, &texts) == 0 && ints.size[0] == 1 && texts.size[0] == 0);
}

static void mistakes(strings_context *context) {
  bool same;
  double value;
  strings_string text = TEXT("left alone");
  strings_strings_1 texts;
  FAILS(strings_joined(context, (strings_string){"x", -1}, TEXT(""), &text), 1, "`one` does not fit its parameter: it has a String of -1 bytes");
  FAILS(strings_joined(context, TEXT(""), (strings_string){0, 3}, &text), 1, "`other` does not fit its parameter: it has a String with bytes, but no data");
  FAILS(strings_joined(context, (strings_string){"x", INT64_MAX}, TEXT(""), &text), 1, "more elements than memory holds");
  RIGHT(is(text, TEXT("left alone")));
  FAILS(strings_reversed(context, (strings_strings_1){0, {2}}, &texts), 1, "no data");
  FAILS(strings_reversed(context, (strings_strings_1){&text, {-2}}, &texts), 1, "size -2");
  FAILS(strings_reversed(context, (strings_strings_1){&text, {INT64_MAX}}, &texts), 1, "more elements than memory holds");
  FAILS(strings_total(context, TEXTS(TEXT("a")), REALS(1.0, 2.0), &value), 1, "E0804");
  FAILS(strings_weight(context, INTS(1), REALS(1.0), NO_TEXTS, &value), 1, "out of range");
  FAILS(strings_weight(context, INTS(0), NO_REALS, TEXTS(TEXT("a")), &value), 1, "more numbers");
  FAILS(strings_weight(context, INTS(3, 2, 1), NO_REALS, TEXTS(TEXT("a")), &value), 1, "the numbers end before the value does");
  FAILS(strings_weight(context, INTS(3, INT64_MAX, 1), NO_REALS, TEXTS(TEXT("a")), &value), 1, "the numbers end before the value does");
  /* Bytes that are no text: bytes that continue nothing, that are missing, in more bytes than needed, halves of pairs,
     beyond the last one. */
  static const char *const bad[] = {
    "\x80", "\xbf", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82",
    "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "a\xe2\x82z", "\xf0\x9f\x99",
    "\xc3\x28", "\xe2\x28\xa1", "\xf0\x28\x8c\xbc"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    const strings_string one = {bad[k], (int64_t)strlen(bad[k])};
    FAILS(strings_same(context, one, TEXT(""), &same), 1, "that is not UTF-8");
    FAILS(strings_reversed(context, TEXTS(TEXT("right"), one), &texts), 1, "that is not UTF-8");
    FAILS(strings_weight(context, INTS(1), REALS(1.0), TEXTS(one), &value), 1, "that is not UTF-8");
  }
  static const char *const good[] = {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
                                     "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\x7f", "\x01"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    const strings_string one = {good[k], (int64_t)strlen(good[k])};
    RIGHT(strings_same(context, one, one, &same) == 0 && same);
  }
}

/* Calls do not grow a context: what is given is let go of with the next call. */
static void many(strings_context *context) {
  strings_string text;
  strings_strings_1 texts;
  strings_limit(context, 100000, 4 << 20);
  for (int k = 0; k < 20000; k++) {
    RIGHT(strings_joined(context, TEXT("some text that is not short"), TEXT("🙂"), &text) == 0);
    RIGHT(is(text, TEXT("some text that is not short🙂")));
    RIGHT(strings_both(context, TEXTS(TEXT("one"), TEXT("two")), &texts, &texts) == 0 && is(texts.data[1], TEXT("two")));
  }
  strings_limit(context, UINT64_C(1) << 40, 4 << 20);
}

int main(void) {
  strings_context *context = strings_open();
  if (!context) return 1;
  single(context);
  arrays(context);
  sums(context);
  mistakes(context);
  many(context);
  strings_close(context);
  printf("%d wrong\n", wrong);
  return 0;
}
