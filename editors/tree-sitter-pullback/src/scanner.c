// Tells the bracket of a size argument, as in `Net [n] a`, from that of an array, as in `List [n]a`: what touches the closing
// bracket of an array's size is its element type.

#include "tree_sitter/parser.h"

enum { SIZE_OPEN };

void *tree_sitter_pullback_external_scanner_create(void) { return NULL; }
void tree_sitter_pullback_external_scanner_destroy(void *state) { (void)state; }
unsigned tree_sitter_pullback_external_scanner_serialize(void *state, char *buffer) {
  (void)state;
  (void)buffer;
  return 0;
}
void tree_sitter_pullback_external_scanner_deserialize(void *state, const char *buffer, unsigned length) {
  (void)state;
  (void)buffer;
  (void)length;
}

static bool is_space(int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

static bool starts_type(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '(' || c == '[' || c == '{';
}

bool tree_sitter_pullback_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid) {
  (void)state;
  if (!valid[SIZE_OPEN]) return false;
  while (is_space(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead != '[') return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  bool empty = true;
  for (unsigned depth = 1; depth > 0;) {
    if (lexer->eof(lexer)) return false;
    int32_t c = lexer->lookahead;
    if (c == '[' || c == '(' || c == '{') depth++;
    if (c == ']' || c == ')' || c == '}') depth--;
    if (depth > 0 && !is_space(c)) empty = false;
    lexer->advance(lexer, false);
  }
  if (empty || starts_type(lexer->lookahead)) return false;
  lexer->result_symbol = SIZE_OPEN;
  return true;
}
