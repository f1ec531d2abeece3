// As much of JSON Schema as the schema of the vectors uses.

const types = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** The faults of a value, each with its place. */
export function faultsOf(schema, value, root = schema, at = "") {
  if (schema.$ref)
    return faultsOf(
      schema.$ref
        .split("/")
        .slice(1)
        .reduce((node, name) => node[name], root),
      value,
      root,
      at,
    );
  const found = [];
  const wanted = [schema.type ?? []].flat();
  if (wanted.length > 0 && !wanted.some((type) => types[type](value)))
    return [`${at}: ${wanted.join(" or ")} is wanted`];
  if (schema.enum && !schema.enum.includes(value))
    found.push(`${at}: ${value} is not one of ${schema.enum.join(", ")}`);
  if (schema.pattern && types.string(value) && !new RegExp(schema.pattern, "u").test(value))
    found.push(`${at}: ${value} does not match ${schema.pattern}`);
  if (types.array(value)) {
    if (value.length < (schema.minItems ?? 0)) found.push(`${at}: too few items`);
    value.forEach((item, place) => found.push(...faultsOf(schema.items ?? {}, item, root, `${at}/${place}`)));
  }
  if (types.object(value)) {
    for (const name of schema.required ?? []) if (value[name] === undefined) found.push(`${at}: ${name} is missing`);
    for (const [name, member] of Object.entries(value)) {
      const own = schema.properties?.[name] ?? schema.additionalProperties;
      if (own === false) found.push(`${at}: ${name} is unknown`);
      else if (own !== undefined) found.push(...faultsOf(own, member, root, `${at}/${name}`));
    }
  }
  return found;
}
