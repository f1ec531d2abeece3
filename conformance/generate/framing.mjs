// The forms in which bodies travel.

/** A body of one JSON value. */
export const json = (value) => ({ file: "input.json", text: `${JSON.stringify(value, null, 1)}\n` });

/** A stream of server-sent events; with an end sign, if the provider has one. An event may be a pair of its name and its data. */
export function events(list, end) {
  const lines = list.map((one) => {
    const [name, data] = Array.isArray(one) ? one : [undefined, one];
    return `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
  });
  return { file: "input.sse", text: lines.join("") + (end ? `data: ${end}\n\n` : ""), stream: true };
}

/** A stream of JSON lines. */
export const lines = (list) => ({
  file: "input.jsonl",
  text: list.map((one) => `${JSON.stringify(one)}\n`).join(""),
  stream: true,
});
