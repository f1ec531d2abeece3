// Two people's changes of the same settings.

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

export function same(one, other) {
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => same(one[name], other[name]));
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => same(item, other[at]));
  }
  return one === other;
}

/**
 * The settings with the changes of both sides since `base`: mine, and theirs where I have changed nothing.
 *
 * `conflicts` gets the path and their value where both have changed the same setting differently.
 */
export function merge(base, mine, theirs, conflicts, path = []) {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  if (isObject(mine) && isObject(theirs)) {
    const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
    const merged = [...names].map((name) => [
      name,
      merge(base?.[name], mine[name], theirs[name], conflicts, [...path, name]),
    ]);
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  }
  conflicts.push({ path, theirs });
  return mine;
}
