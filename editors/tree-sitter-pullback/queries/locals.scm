[
  (source_file)
  (definition)
  (local_function)
  (lambda)
  (let)
  (loop)
  (arm)
  (comprehension)
] @local.scope

(definition name: (identifier) @local.definition.function)
(local_function name: (identifier) @local.definition.function)
(variable_pattern) @local.definition.var
(as_pattern (identifier) @local.definition.var)
(size_parameter (identifier) @local.definition.parameter)
(import alias: (identifier) @local.definition.import)
(type_declaration name: (type_identifier) @local.definition.type)

(identifier) @local.reference
(type_identifier) @local.reference
