; Names

(identifier) @variable
(variable_pattern) @variable
(wildcard) @variable
(field) @property
(component) @property
(module) @module
(type_variable) @variable.parameter
(type_identifier) @type
((type_identifier) @type.builtin
  (#any-of? @type.builtin "Real" "Int" "Bool" "String"))
(constructor_identifier) @constructor
(import alias: (identifier) @module)

(size_parameter (identifier) @variable.parameter)
(definition parameter: (variable_pattern) @variable.parameter)
(local_function parameter: (variable_pattern) @variable.parameter)
(lambda parameter: (variable_pattern) @variable.parameter)
(typed_pattern (variable_pattern) @variable.parameter)

(application function: (identifier) @function.call)
(application function: (projection field: (field) @function.call))
(binary operator: "|>" right: (identifier) @function.call)
(definition name: (identifier) @function)
(local_function name: (identifier) @function)
(type_expectation name: (identifier) @function)

; Literals

(number) @number
(true) @boolean
(false) @boolean
(string) @string
(escape) @string.escape
(error_code) @constant
(engine) @constant

; Words

[
  "def"
  "type"
  "let"
  "rec"
  "and"
  "in"
  "as"
  "with"
  "tangent"
  "by"
] @keyword
"import" @keyword.import
[
  "if"
  "then"
  "else"
  "match"
] @keyword.conditional
[
  "loop"
  "for"
  "while"
  "do"
  "checkpoint"
] @keyword.repeat
[
  "fails"
  "within"
  "engines"
] @keyword

; Operators and brackets

(binary operator: _ @operator)
(operator_function operator: _ @operator)
(negation "-" @operator)
(negative_number "-" @operator)
(range_clause "<" @operator)
(loop "<" @operator)
[
  "="
  "~="
  "->"
  "<-"
  "\\"
  "|"
] @operator
(requirements) @type
[
  ","
  "."
  ":"
] @punctuation.delimiter
[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket

; Comments

(comment) @comment
(doc_comment) @comment.documentation
(expectation) @comment
(expectation "--@" @keyword.directive)
