// What the runner says: a table, an explanation of each failure, JUnit's XML and a badge.

const VERDICTS = ["passed", "failed", "unsupported"];

const kindOf = ({ id }) => id.split("/")[0];
const short = (text, length = 160) => {
  // Control characters and letters that turn the direction are not for terminals.
  const line = String(text)
    .replace(/\s+/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  return line.length > length ? `${line.slice(0, length)}…` : line;
};

/** The counts of verdicts of some results. */
export function counts(results) {
  return Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, results.filter((result) => result.verdict === verdict).length]),
  );
}

/** A table with a line for each kind of vector. */
export function table(results) {
  const kinds = [...new Set(results.map(kindOf))];
  const rows = kinds.map((kind) => [kind, counts(results.filter((result) => kindOf(result) === kind))]);
  rows.push(["all", counts(results)]);
  const line = (name, cells) => `${name.padEnd(14)}${cells.map((cell) => String(cell).padStart(12)).join("")}`;
  return [
    line("kind", VERDICTS),
    ...rows.map(([kind, row]) =>
      line(
        kind,
        VERDICTS.map((verdict) => row[verdict]),
      ),
    ),
  ].join("\n");
}

/** What was expected, what came, and why, in at most ten lines. */
export function explanation({ id, channel, shows, faults }, rules, repeat) {
  const [first, ...others] = faults;
  const lines = [
    `FAILED ${id} · ${channel}`,
    `  shows     ${short(shows)}`,
    `  rule      ${first.rule}: ${rules[first.rule].says}`,
    `  expected  ${short(first.expected)}`,
    `  came      ${short(first.came)}`,
    `  why       ${rules[first.rule].page}`,
  ];
  if (others.length > 0) lines.push(`  also      ${short([...new Set(others.map(({ rule }) => rule))].join(", "))}`);
  lines.push(`  repeat    ${repeat} --only ${id} --channel ${channel}`);
  return lines.join("\n");
}

const XML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// XML 1.0 has no other control characters, and no halves of pairs.
const xml = (text) =>
  String(text)
    .replace(/[&<>"]/g, (sign) => XML[sign])
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

/** JUnit's XML: a suite for each kind, a case for each vector and channel. */
export function junit(results, rules) {
  const suites = [...new Set(results.map(kindOf))].map((kind) => {
    const own = results.filter((result) => kindOf(result) === kind);
    const { failed, unsupported } = counts(own);
    const cases = own.map((result) => {
      const open = `    <testcase classname="${xml(result.id)}" name="${xml(result.channel)}"`;
      if (result.verdict === "passed") return `${open}/>`;
      if (result.verdict === "unsupported") return `${open}><skipped message="${xml(short(result.why))}"/></testcase>`;
      const text = result.faults
        .map(({ rule, expected, came }) => `${rule}: ${rules[rule].says}\nexpected ${expected}\ncame ${came}`)
        .join("\n\n");
      return `${open}><failure type="${xml(result.faults[0].rule)}" message="${xml(short(result.faults[0].came))}">${xml(text)}</failure></testcase>`;
    });
    return `  <testsuite name="${xml(kind)}" tests="${own.length}" failures="${failed}" skipped="${unsupported}">\n${cases.join("\n")}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="citation-conformance">\n${suites.join("\n")}\n</testsuites>\n`;
}

/** A badge: how many of the supported cases pass. */
export function badge(results) {
  const { passed, failed } = counts(results);
  const all = passed + failed;
  const said = `${passed} of ${all}`;
  const color = all === 0 ? "#6e7781" : failed === 0 ? "#1a7f37" : passed / all >= 0.9 ? "#9a6700" : "#cf222e";
  const [left, right] = [126, 7 * said.length + 14];
  const text = (x, words) => `<text x="${x}" y="14">${words}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="citation conformance: ${said}">` +
    `<rect width="${left + right}" height="20" rx="3" fill="#444"/><path fill="${color}" d="M${left} 0h${right - 3}q3 0 3 3v14q0 3-3 3h-${right - 3}z"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` +
    `${text(left / 2, "citation conformance")}${text(left + right / 2, said)}</g></svg>\n`
  );
}
