// The documents of the cases of `findings.json`, here and for the emulator of Teams.

/** A document with changes at JSON pointers. */
export function changed(document, { set = {}, remove = [] } = {}) {
  const copy = structuredClone(document);
  const parent = (pointer) => {
    const keys = pointer.slice(1).split('/');
    const last = keys.pop();
    return [keys.reduce((value, key) => value[key], copy), last];
  };
  for (const [pointer, value] of Object.entries(set)) {
    const [object, key] = parent(pointer);
    object[key] = structuredClone(value);
  }
  // The last first, so that the other pointers stay right.
  for (const pointer of remove.toReversed()) {
    const [object, key] = parent(pointer);
    if (Array.isArray(object)) object.splice(Number(key), 1);
    else delete object[key];
  }
  return copy;
}
