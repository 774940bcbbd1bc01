// The grammar of Pullback for tree-sitter. `docs/language.md` has the language's own; where this one differs, it takes more.
// A test compares the words and operators here with those of the compiler.

const PREC = {
  open: 0,
  with: 1,
  pipe: 2,
  or: 3,
  and: 4,
  compare: 5,
  sum: 6,
  product: 7,
  negate: 8,
  power: 9,
  apply: 10,
  postfix: 11,
};

const OPERATORS = [
  [prec.left, PREC.pipe, ["|>"]],
  [prec.right, PREC.or, ["||"]],
  [prec.right, PREC.and, ["&&"]],
  [prec.left, PREC.compare, ["==", "!=", "<", "<=", ">", ">="]],
  [prec.left, PREC.sum, ["+", "-", "++", "+.", "-.", ".+", ".-"]],
  [prec.left, PREC.product, ["*", "/", "%", "@", "*.", "/.", ".*", "./"]],
  [prec.right, PREC.power, ["^", "^.", ".^"]],
];

const KEYWORDS = [
  "def", "type", "import", "as", "let", "rec", "and", "in", "if", "then", "else", "match", "with", "for", "loop", "while",
  "do", "true", "false",
];

/** One or more, with commas between them and perhaps one at the end. */
const list = (rule) => seq(rule, repeat(seq(",", rule)), optional(","));

const typeName = ($) => alias($._upper, $.type_identifier);

const fieldName = ($) => alias($.identifier, $.field);

export default grammar({
  name: "pullback",

  word: ($) => $.identifier,

  // A size after the name of a type: whether `[n]` is one depends on what touches its closing bracket.
  externals: ($) => [$._size_open],

  extras: ($) => [/[ \t\r\n\f]/, $.comment, $.doc_comment, $.expectation],

  reserved: { global: () => KEYWORDS },

  supertypes: ($) => [$.expression, $.pattern, $.type],

  conflicts: ($) => [
    // `type T = A B | C` has constructors, `type T = A B` is an alias.
    [$.constructor, $.named_type],
  ],

  rules: {
    // A file; or what stands in an expectation, which editors parse as a text of its own.
    source_file: ($) => choice(repeat($._item), $._expected),

    _item: ($) => choice($.import, $.type_declaration, $.definition),

    import: ($) =>
      seq("import", field("path", $.string), optional(seq("as", field("alias", $.identifier)))),

    type_declaration: ($) =>
      seq(
        "type",
        field("name", typeName($)),
        repeat($.size_parameter),
        repeat(alias($.identifier, $.type_variable)),
        "=",
        field("body", choice($.type, $.sum)),
        optional($.tangents),
      ),
    // The words after `with` are names everywhere else.
    tangents: ($) =>
      seq(
        "with",
        "tangent",
        field("type", $._type_atom),
        "by",
        field("retract", $.identifier),
        ",",
        field("local", $.identifier),
      ),
    sum: ($) =>
      choice(
        seq("|", $.constructor, repeat(seq("|", $.constructor))),
        seq($.constructor, repeat1(seq("|", $.constructor))),
      ),
    constructor: ($) =>
      seq(field("name", alias($._upper, $.constructor_identifier)), repeat($._type_atom)),
    size_parameter: ($) => seq("[", choice($.identifier, $.wildcard), "]"),

    definition: ($) => seq("def", $._function),
    _function: ($) =>
      seq(
        field("name", $.identifier),
        repeat($.size_parameter),
        repeat(field("parameter", $._pattern_atom)),
        optional(seq(":", field("result", $.type))),
        "=",
        field("body", $.expression),
      ),
    // A local function has a size or a parameter; without any, it is a pattern.
    _local_function: ($) =>
      seq(
        field("name", $.identifier),
        choice(
          seq(repeat1($.size_parameter), repeat(field("parameter", $._pattern_atom))),
          repeat1(field("parameter", $._pattern_atom)),
        ),
        optional(seq(":", field("result", $.type))),
        "=",
        field("body", $.expression),
      ),

    // --- expectations

    expectation: ($) =>
      seq(token(prec(3, "--@")), alias(token.immediate(/[^\r\n]+|\r?\n/), $.expectation_body)),
    _expected: ($) =>
      choice($.equation, $.failure, $.type_expectation, $.engines_expectation),
    equation: ($) =>
      seq(
        field("left", $.expression),
        choice("=", "~="),
        field("right", $.expression),
        optional(seq("within", field("tolerance", $.expression))),
      ),
    failure: ($) => seq(field("left", $.expression), "fails", field("code", $.error_code)),
    error_code: () => /[A-Z][0-9]+/,
    type_expectation: ($) =>
      seq("type", field("name", $.identifier), "=", optional($.requirements), field("type", $.type)),
    requirements: () => /[^\r\n]*=>/,
    engines_expectation: ($) => seq("engines", repeat1($.engine)),
    engine: () => /[a-z][a-z0-9-]*/,

    // --- types

    type: ($) => choice($.function_type, $._type_argument),
    function_type: ($) => prec.right(seq($._type_argument, "->", $.type)),
    _type_argument: ($) => choice($.named_type, $._type_atom_only, alias($._wide_array_type, $.array_type)),
    named_type: ($) =>
      seq(
        optional(seq(field("module", alias($.identifier, $.module)), ".")),
        field("name", typeName($)),
        repeat($.size_argument),
        repeat($._type_atom),
      ),
    size_argument: ($) => seq(alias($._size_open, "["), $.expression, "]"),
    _wide_array_type: ($) =>
      seq("[", optional(field("size", $.expression)), "]", field("element", $._type_argument)),
    _type_atom: ($) => choice(alias($._plain_type, $.named_type), $._type_atom_only, $.array_type),
    _plain_type: ($) =>
      seq(
        optional(seq(field("module", alias($.identifier, $.module)), ".")),
        field("name", typeName($)),
      ),
    _type_atom_only: ($) =>
      choice(alias($.identifier, $.type_variable), $.tuple_type, $.record_type),
    array_type: ($) =>
      seq("[", optional(field("size", $.expression)), "]", field("element", $._type_atom)),
    tuple_type: ($) => seq("(", optional(list($.type)), ")"),
    record_type: ($) => seq("{", optional(list($.field_type)), "}"),
    field_type: ($) => seq(field("name", fieldName($)), ":", field("type", $.type)),

    // --- patterns

    pattern: ($) => choice($.as_pattern, $.constructor_pattern, $._pattern_atom, $.negative_number),
    as_pattern: ($) => seq($.pattern, "as", choice($.identifier, $.wildcard)),
    constructor_pattern: ($) => prec.right(seq($._constructor_path, repeat1($._pattern_atom))),
    _constructor_path: ($) =>
      seq(
        optional(seq(field("module", alias($.identifier, $.module)), ".")),
        field("constructor", alias($._upper, $.constructor_identifier)),
      ),
    _pattern_atom: ($) =>
      choice(
        alias($._constructor_path, $.constructor_pattern),
        alias($.identifier, $.variable_pattern),
        $.wildcard,
        $._literal,
        $.tuple_pattern,
        $.typed_pattern,
        $.record_pattern,
      ),
    negative_number: ($) => seq("-", $.number),
    tuple_pattern: ($) => seq("(", optional(list($.pattern)), ")"),
    typed_pattern: ($) => seq("(", $.pattern, ":", field("type", $.type), ")"),
    record_pattern: ($) => seq("{", optional(list($.field_pattern)), "}"),
    field_pattern: ($) => seq(field("name", fieldName($)), optional(seq("=", $.pattern))),
    wildcard: () => "_",

    // --- expressions

    expression: ($) => choice($.update, $._operand),
    update: ($) =>
      prec.left(
        PREC.with,
        seq(
          field("base", $.expression),
          "with",
          field("place", $.place),
          "=",
          field("value", $._operand),
        ),
      ),
    place: ($) =>
      seq(
        choice(seq(optional("."), fieldName($)), $._place_index),
        repeat(choice(seq(".", fieldName($)), $._place_index)),
      ),
    _place_index: ($) =>
      seq(choice("[", alias($._index_open, "[")), list($.expression), "]"),

    _operand: ($) =>
      choice(
        $.lambda,
        $.if,
        $.match,
        $.let,
        $.loop,
        $.binary,
        $.negation,
        $.application,
        $._postfix,
      ),
    binary: ($) =>
      choice(
        ...OPERATORS.flatMap(([side, level, operators]) =>
          operators.map((operator) =>
            side(
              level,
              seq(field("left", $._operand), field("operator", operator), field("right", $._operand)),
            ),
          ),
        ),
      ),
    negation: ($) => prec(PREC.negate, seq("-", $._operand)),
    application: ($) =>
      prec.right(
        PREC.apply,
        seq(field("function", $._postfix), repeat1(field("argument", $._postfix))),
      ),

    _postfix: ($) => choice($.projection, $.index, $._atom),
    projection: ($) =>
      prec(
        PREC.postfix,
        seq(
          field("base", $._postfix),
          ".",
          choice(
            field("field", fieldName($)),
            field("constructor", alias($._upper, $.constructor_identifier)),
            field("component", $.component),
          ),
        ),
      ),
    component: () => /[0-9]+/,
    index: ($) =>
      prec(
        PREC.postfix,
        seq(field("base", $._postfix), alias($._index_open, "["), list($._index_part), "]"),
      ),
    // The bracket of an index touches what is before it.
    _index_open: () => token.immediate("["),
    _index_part: ($) => choice($.expression, $.slice),
    slice: ($) =>
      seq(
        optional(field("from", $.expression)),
        ":",
        optional(field("to", $.expression)),
        optional(seq(":", optional(field("step", $.expression)))),
      ),

    _atom: ($) =>
      choice(
        $.identifier,
        alias($._upper, $.constructor_identifier),
        $._literal,
        $.operator_function,
        $.parenthesised,
        $.tuple,
        $.ascription,
        $.record,
        $.array,
        $.comprehension,
      ),
    operator_function: ($) =>
      seq("(", field("operator", choice(...OPERATORS.flatMap(([, , operators]) => operators))), ")"),
    parenthesised: ($) => seq("(", $.expression, optional(","), ")"),
    tuple: ($) =>
      seq("(", optional(seq($.expression, repeat1(seq(",", $.expression)), optional(","))), ")"),
    ascription: ($) => seq("(", $.expression, ":", field("type", $.type), ")"),
    record: ($) => seq("{", optional(list($.field_value)), "}"),
    field_value: ($) => seq(field("name", fieldName($)), "=", field("value", $.expression)),
    array: ($) => seq("[", optional(list($.expression)), "]"),
    comprehension: ($) =>
      seq("[", field("element", $.expression), "|", list(choice($.range_clause, $.element_clause)), "]"),
    range_clause: ($) => seq($._counter, "<", field("bound", $._operand)),
    element_clause: ($) => seq(field("pattern", $.pattern), "<-", field("source", $.expression)),
    _counter: ($) => field("counter", choice(alias($.identifier, $.variable_pattern), $.wildcard)),

    // --- what extends as far to the right as it can

    lambda: ($) =>
      prec.right(
        PREC.open,
        seq("\\", repeat1(field("parameter", $._pattern_atom)), "->", field("body", $.expression)),
      ),
    if: ($) =>
      prec.right(
        PREC.open,
        seq(
          "if",
          field("condition", $.expression),
          "then",
          field("then", $.expression),
          "else",
          field("else", $.expression),
        ),
      ),
    match: ($) =>
      prec.right(
        PREC.open,
        seq(
          "match",
          field("value", $.expression),
          "with",
          optional("|"),
          $.arm,
          repeat(seq("|", $.arm)),
        ),
      ),
    arm: ($) =>
      prec.right(PREC.open, seq(field("pattern", $.pattern), "->", field("body", $.expression))),
    let: ($) =>
      prec.right(
        PREC.open,
        seq(
          "let",
          choice(
            seq(
              field("pattern", $.pattern),
              optional(seq(":", field("type", $.type))),
              "=",
              field("value", $.expression),
            ),
            $.local_function,
            seq("rec", $._recursive, repeat(seq("and", $._recursive))),
          ),
          // A `let` after a `let` needs no `in`.
          choice(seq("in", field("body", $.expression)), field("body", $.let)),
        ),
      ),
    local_function: ($) => $._local_function,
    _recursive: ($) => alias($._function, $.local_function),
    loop: ($) =>
      prec.right(
        PREC.open,
        seq(
          "loop",
          field("pattern", $.pattern),
          optional(seq(":", field("type", $.type))),
          "=",
          field("start", $.expression),
          choice(
            seq("for", $._counter, "<", field("bound", $._operand)),
            seq("while", field("condition", $.expression)),
          ),
          optional(seq("checkpoint", optional(field("checkpoint", $.expression)))),
          "do",
          field("body", $.expression),
        ),
      ),

    // --- words

    identifier: () => /[a-z_][A-Za-z0-9_']*/,
    _upper: () => /[A-Z][A-Za-z0-9_']*/,
    _literal: ($) => choice($.number, $.string, $.true, $.false),
    true: () => "true",
    false: () => "false",
    number: () => /[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9][0-9_]*)?/,
    string: ($) =>
      seq(
        '"',
        repeat(choice(alias(token.immediate(prec(1, /[^"\\\r\n]+/)), $.text), $.escape)),
        token.immediate('"'),
      ),
    escape: () => token.immediate(/\\(["\\ntr0]|u\{[0-9A-Fa-f]{1,6}\})/),

    comment: () => token(/--[^\r\n]*/),
    // Lines directly below belong to it, unless they are expectations.
    doc_comment: () =>
      token(prec(1, /--[ \t]*\|[^\r\n]*((\r?\n[ \t]*--)+[^@\r\n][^\r\n]*)*/)),
  },
});
