/** The name at the top of an exported document. It is not part of the definition, so a preview does not return it. */
export function nameInYaml(text: string): string | null {
  const written = /^name:[ \t]+(.+?)[ \t]*$/m.exec(text)?.[1];
  if (written === undefined) return null;
  if (/^'.*'$/.test(written)) return written.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(written)) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    return written.slice(1, -1); // an escape that only YAML knows
  }
}
