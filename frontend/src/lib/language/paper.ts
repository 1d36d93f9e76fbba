/** Where people print on US Letter, by the Unicode CLDR (`paperSize`); everywhere else it is A4. */
const LETTER = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '));

/** The paper of a reader, by the first of their locales that names a region. */
export function paperOf(locales: readonly string[]): 'A4' | 'letter' {
  const region = locales.map((locale) => /-([A-Z]{2})\b/.exec(locale)?.[1]).find(Boolean);
  return region !== undefined && LETTER.has(region) ? 'letter' : 'A4';
}
