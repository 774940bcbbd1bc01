[
  (definition)
  (type_declaration)
  (local_function)
  (match)
  (array)
  (comprehension)
  (record)
  (tuple)
  (doc_comment)
] @fold
