/* Strings as C gives and takes them: bytes in UTF-8 with their number. */
typedef struct { const char *data; int64_t size; } pb_library_string;

/* Whether bytes are UTF-8: in the fewest bytes, no surrogates, and nothing above U+10FFFF. */
static PB_UNUSED int pb_is_utf8(const char *text, uint64_t size) {
  const unsigned char *s = (const unsigned char *)text;
  for (uint64_t k = 0; k < size;) {
    const unsigned first = s[k++];
    if (first < 0x80) continue;
    const unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || size - k < more) return 0;
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (s[k] < low || s[k] > high) return 0;
    for (unsigned at = 1; at < more; at++)
      if (s[k + at] < 0x80 || s[k + at] > 0xbf) return 0;
    k += more;
  }
  return 1;
}

static inline uint64_t pb_rounded_up(uint64_t bytes) { return (bytes + 15) & ~UINT64_C(15); }

/* The room of a String with its head. */
static inline uint64_t pb_string_room(int64_t size) { return pb_rounded_up(sizeof(pb_string) + (uint64_t)size); }

/* Strings that C gives as an array of the program's: copies in one block, which the context holds until its next call.
   The program frees nothing that is counted so high. */
static PB_UNUSED pb_block *pb_library_given(pb_ctx *c, const void *data, const int64_t *size, int rank, int given) {
  const pb_library_string *strings = data;
  const uint64_t count = pb_count_checked(size, rank), items = pb_rounded_up(count * sizeof(pb_data));
  uint64_t bytes = sizeof(pb_held) + sizeof(pb_buffer) + items;
  for (uint64_t k = 0; k < count; k++) {
    if (strings[k].size < 0) pb_fail(c, -1, PB_F_STRING, given, 0, strings[k].size);
    if ((uint64_t)strings[k].size > PB_MOST_BYTES) pb_fail(c, -1, PB_F_LARGE, given, 0, 0);
    if (strings[k].size && !strings[k].data) pb_fail(c, -1, PB_F_STRING, given, 1, 0);
    if (!pb_is_utf8(strings[k].data, (uint64_t)strings[k].size)) pb_fail(c, -1, PB_F_STRING, given, 2, 0);
    bytes += pb_string_room(strings[k].size);
  }
  pb_held *held = pb_take(c, -1, bytes);
  pb_library *l = (pb_library *)c;
  *held = (pb_held){l->strings, bytes};
  l->strings = held;
  pb_buffer *array = (pb_buffer *)(held + 1);
  *array = (pb_buffer)PB_LENT(PB_DATA);
  array->bytes = items;
  array->cells = (int64_t)count;
  pb_data *to = PB_ITEMS(array);
  char *place = (char *)to + items;
  for (uint64_t k = 0; k < count; k++) {
    const uint64_t room = pb_string_room(strings[k].size);
    pb_string *s = (pb_string *)place;
    s->buffer = (pb_buffer)PB_LENT(PB_BOOL);
    s->buffer.bytes = room - sizeof(pb_buffer);
    s->len = strings[k].size;
    if (s->len) memcpy(s + 1, strings[k].data, (size_t)s->len);
    to[k] = &s->buffer.head;
    place += room;
  }
  return &array->head;
}

/* A String that is a result. */
static PB_UNUSED pb_library_string pb_library_text(pb_ctx *c, pb_data string) {
  if (pb_is_cell(string)) pb_library_keep(c, string);
  const pb_text text = pb_text_of(c, string);
  return (pb_library_string){text.p, (int64_t)text.len};
}

/* Those of an array that is a result, which the context holds as long. */
static PB_UNUSED void *pb_library_texts(pb_ctx *c, const pb_data *strings, const int64_t *size, int rank) {
  const uint64_t count = pb_count_checked(size, rank);
  pb_block *made = pb_buffer_of(c, -1, PB_BOOL, count * sizeof(pb_library_string));
  pb_library_keep(c, made);
  pb_library_string *to = PB_ITEMS(made);
  for (uint64_t k = 0; k < count; k++) {
    const pb_text text = pb_text_of(c, strings[k]);
    to[k] = (pb_library_string){text.p, (int64_t)text.len};
  }
  return to;
}
