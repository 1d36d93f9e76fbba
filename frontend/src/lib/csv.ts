type Cell = string | number | boolean | null;

const QUOTED = /[",\n]/;

function cellText(value: Cell): string {
  const text = String(value ?? '');
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of comma-separated values (RFC 4180). */
export const csv = (lines: readonly (readonly Cell[])[]): string =>
  lines.map((line) => line.map(cellText).join(',')).join('\r\n');
