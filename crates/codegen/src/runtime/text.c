/* Strings that programs make and tell. */
#include <stdio.h>

/* Room for a String of so many bytes, which has none yet. */
static pb_string *pb_str_room(pb_ctx *c, int32_t site, uint64_t room) {
  pb_string *s = (pb_string *)pb_buffer_of(c, site, PB_BOOL, room + sizeof s->len);
  s->len = 0;
  return s;
}

static inline uint64_t pb_str_capacity(const pb_string *s) { return s->buffer.bytes - sizeof s->len; }

static void pb_str_add(pb_string *s, const char *text, uint64_t len) {
  if (len) memcpy((char *)(s + 1) + s->len, text, len);
  s->len += (int64_t)len;
}

PB_PRECOMPILED pb_data pb_str_new(pb_ctx *c, int32_t site, const char *text, uint64_t len) {
  pb_string *s = pb_str_room(c, site, len);
  pb_str_add(s, text, len);
  return &s->buffer.head;
}

/* One text, which is used up, and then the other; in place if nothing else sees the first. */
PB_PRECOMPILED pb_data pb_str_join(pb_ctx *c, int32_t site, pb_data one, pb_data other) {
  const pb_text a = pb_text_of(c, one), b = pb_text_of(c, other);
  const int alone = pb_is_cell(one) && one->count == 1;
  if (alone && a.len + b.len <= pb_str_capacity((pb_string *)one)) {
    pb_str_add((pb_string *)one, b.p, b.len);
    return one;
  }
  uint64_t room = a.len + b.len;
  if (alone && room < 2 * a.len && 2 * a.len + 64 < c->limit - c->used) room = 2 * a.len;
  pb_string *s = pb_str_room(c, site, room);
  pb_str_add(s, a.p, a.len);
  pb_str_add(s, b.p, b.len);
  pb_dec_data(c, one);
  return &s->buffer.head;
}

PB_PRECOMPILED _Bool pb_str_eq(pb_ctx *c, pb_data one, pb_data other) {
  if (one == other) return 1;
  const pb_text a = pb_text_of(c, one), b = pb_text_of(c, other);
  return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* How many digits a text begins with. */
static uint64_t pb_digits(const char *text, uint64_t len) {
  uint64_t count = 0;
  while (count < len && text[count] >= '0' && text[count] <= '9') count++;
  return count;
}

/* Whether a text is digits with a point or without, and with an exponent or without. */
static int pb_is_decimal(const char *text, uint64_t len) {
  uint64_t at = pb_digits(text, len), digits = at;
  if (at < len && text[at] == '.') {
    const uint64_t fraction = pb_digits(text + at + 1, len - at - 1);
    digits += fraction;
    at += 1 + fraction;
  }
  if (!digits || at == len) return digits > 0;
  if (text[at] != 'e' && text[at] != 'E') return 0;
  at++;
  if (at < len && (text[at] == '+' || text[at] == '-')) at++;
  return at < len && pb_digits(text + at, len - at) == len - at;
}

/* The number that a text says; NaN where it says none. */
PB_PRECOMPILED double pb_read_real(pb_ctx *c, pb_data data) {
  const pb_text text = pb_text_of(c, data);
  const int has_sign = text.len > 0 && (*text.p == '+' || *text.p == '-');
  const char *p = text.p + has_sign;
  const uint64_t len = text.len - (uint64_t)has_sign;
  const int minus = has_sign && *text.p == '-';
  if ((len == 3 && memcmp(p, "inf", 3) == 0) || (len == 8 && memcmp(p, "Infinity", 8) == 0)) return minus ? -INFINITY : INFINITY;
  if (!pb_is_decimal(p, len)) return NAN;
  char room[400], *copy = len < sizeof room ? room : malloc(len + 1);
  if (!copy) return NAN;
  memcpy(copy, p, len);
  copy[len] = 0;
  const double x = strtod(copy, 0);
  if (copy != room) free(copy);
  return __builtin_isinf(x) ? NAN : minus ? -x : x;
}

PB_PRECOMPILED pb_data pb_show_int(pb_ctx *c, int32_t site, int64_t n) {
  char text[24];
  const int len = snprintf(text, sizeof text, "%lld", (long long)n);
  return pb_str_new(c, site, text, (uint64_t)len);
}

/* Adds one to the last of some digits, which lie around a point of one byte after the first. */
static int pb_next_digits(char *digits, int last) {
  for (int k = last; k >= 0; k = k == 2 ? 0 : k - 1) {
    if (digits[k] != '9') return ++digits[k], 1;
    digits[k] = '0';
  }
  return 0;
}

/* Whether a number lies in the middle between so many digits, to which it has been rounded down, and the next. */
static int pb_is_middle(double x, int digits, const char *text) {
  char all[80];
  snprintf(all, sizeof all, "%.60e", x);
  const int at = digits == 1 ? 2 : digits + 1;
  if (memcmp(all, text, (size_t)(digits == 1 ? 1 : at)) != 0 || all[at] != '5') return 0;
  for (int k = at + 1; all[k] != 'e'; k++)
    if (all[k] != '0') return 0;
  return 1;
}

/* Digits that read back as a positive number: `d.ddde±dd`. How many: the fewest, but for zeros at the end. A number of up
   to 15 digits is what its 15 digits begin with, unless it has lost some as it is so small. */
static int pb_fewest(double x, char *text, size_t room) {
  for (int digits = x < 0x1p-1022 ? 1 : 15; digits < 17; digits++) {
    const int last = digits == 1 ? 0 : digits;
    snprintf(text, room, "%.*e", digits - 1, x);
    if (strtod(text, 0) == x) {
      if (pb_is_middle(x, digits, text)) pb_next_digits(text, last);
      return digits;
    }
    /* Above a power of two the next number is further away than below, and so may its text be. */
    if (pb_next_digits(text, last) && strtod(text, 0) == x) return digits;
  }
  snprintf(text, room, "%.16e", x);
  if (pb_is_middle(x, 17, text)) pb_next_digits(text, 17);
  return 17;
}

PB_PRECOMPILED pb_data pb_show_real(pb_ctx *c, int32_t site, double x) {
  char digits[40], text[64];
  char *to = text;
  if (__builtin_isnan(x)) return pb_str_new(c, site, "nan", 3);
  if (__builtin_signbit(x)) *to++ = '-', x = -x;
  if (__builtin_isinf(x)) {
    memcpy(to, "inf", 3);
    return pb_str_new(c, site, text, (uint64_t)(to + 3 - text));
  }
  if (c->show) return pb_str_new(c, site, text, (uint64_t)(to - text) + c->show(x, to));
  int count = x == 0 ? 1 : pb_fewest(x, digits, sizeof digits);
  if (x == 0) digits[0] = '0';
  const int exponent = x == 0 ? 0 : atoi(strchr(digits, 'e') + 1);
  if (count > 1) memmove(digits + 1, digits + 2, (size_t)count - 1);
  while (count > 1 && digits[count - 1] == '0') count--;
  if (x != 0 && (x < 1e-4 || x >= 1e16)) {
    *to++ = digits[0];
    if (count > 1) {
      *to++ = '.';
      memcpy(to, digits + 1, (size_t)count - 1);
      to += count - 1;
    }
    to += snprintf(to, 8, "e%d", exponent);
  } else {
    for (int k = exponent < 0 ? exponent : 0; k < count || k <= exponent + 1; k++) {
      if (k == exponent + 1) *to++ = '.';
      *to++ = k >= 0 && k < count ? digits[k] : '0';
    }
  }
  return pb_str_new(c, site, text, (uint64_t)(to - text));
}

PB_PRECOMPILED pb_data pb_quote(pb_ctx *c, int32_t site, pb_data of) {
  const pb_text text = pb_text_of(c, of);
  pb_string *s = pb_str_room(c, site, 2 * text.len + 2);
  pb_str_add(s, "\"", 1);
  for (uint64_t k = 0; k < text.len; k++) {
    const char byte = text.p[k];
    if (byte == '"' || byte == '\\') {
      pb_str_add(s, "\\", 1);
      pb_str_add(s, &byte, 1);
    } else if (byte == '\n' || byte == '\t') {
      pb_str_add(s, byte == '\n' ? "\\n" : "\\t", 2);
    } else {
      pb_str_add(s, &byte, 1);
    }
  }
  pb_str_add(s, "\"", 1);
  return &s->buffer.head;
}

PB_PRECOMPILED pb_data pb_enclose(pb_ctx *c, int32_t site, pb_data of) {
  const pb_text text = pb_text_of(c, of);
  const unsigned char first = text.len ? (unsigned char)text.p[0] : 0;
  const int is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first >= 0x80;
  const int is_more = first == '-' || (is_name && memchr(text.p, ' ', text.len));
  pb_string *s = pb_str_room(c, site, text.len + 2);
  if (is_more) pb_str_add(s, "(", 1);
  pb_str_add(s, text.p, text.len);
  if (is_more) pb_str_add(s, ")", 1);
  return &s->buffer.head;
}

/* Tells a line: the host, or where there is none that listens, standard error. */
PB_PRECOMPILED void pb_tell(pb_ctx *c, pb_data of) {
  const pb_text text = pb_text_of(c, of);
  if (c->tell) {
    c->tell(c->host, text.p, text.len);
    return;
  }
  fwrite(text.p, 1, text.len, stderr);
  fputc('\n', stderr);
}
