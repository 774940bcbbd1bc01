[
  (definition)
  (local_function)
  (type_declaration)
  (arm)
  (array)
  (comprehension)
  (record)
  (tuple)
  (parenthesised)
  (record_type)
] @indent.begin

[
  ")"
  "]"
  "}"
] @indent.branch @indent.end
