/**
 * What Lingui's own checks do not see: they compare the catalogs with the code. Run by `npm run check`.
 *
 * - A text has one translation in all catalogs: once loaded, they are one.
 * - Each text of a page has a translation. What the server says is English without: that is a warning.
 * - A translation has the placeholders, tags and plurals of its text, and no others.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatter } from '@lingui/format-po';
import { compileMessage } from '@lingui/message-utils/compileMessage';

const root = join(import.meta.dirname, '..', 'src');

interface Text {
  catalog: string;
  id: string;
  message: string;
  translation: string;
}

async function textsOf(file: string): Promise<Text[]> {
  const content = readFileSync(join(root, file), 'utf8');
  const entries = await formatter().parse(content, { locale: 'zh-Hans', sourceLocale: 'en', filename: file });
  return Object.entries(entries).map(([id, { message = '', translation = '' }]) => ({
    catalog: relative('texts/zh-Hans', file),
    id,
    message,
    translation,
  }));
}

type Tokens = ReturnType<typeof compileMessage>;

/** Names of values with what is made of them, and numbers of elements: "name", "count plural", "<0>", "<1/>". */
function namesIn(tokens: Tokens): string[] {
  return tokens.flatMap((token) => {
    if (typeof token === 'string') return token.match(/<\/?\d+\/?>/g) ?? [];
    const [name, type, format] = token;
    const inside = Object.values(format ?? {}).flatMap((branch) =>
      Array.isArray(branch) ? namesIn(branch) : [],
    );
    return [type ? `${name} ${type}` : name, ...inside];
  });
}

const partsOf = (text: string) => [...new Set(namesIn(compileMessage(text)))].sort().join(', ');

function otherParts({ catalog, message, translation }: Text): string[] {
  const [from, to] = [partsOf(message), partsOf(translation)];
  return from === to || !translation
    ? []
    : [`${catalog}: “${message}” has ${from || 'no parts'}, its translation ${to}`];
}

function otherTranslations(texts: readonly Text[]): string[] {
  const first = new Map<string, Text>();
  return texts.flatMap((text) => {
    const known = first.get(text.id);
    if (!known) first.set(text.id, text);
    if (!known || known.translation === text.translation) return [];
    return [
      `“${text.message}”: “${known.translation}” in ${known.catalog}, “${text.translation}” in ${text.catalog}`,
    ];
  });
}

const catalogs = globSync('texts/*/**/*.po', { cwd: root });
const texts = (await Promise.all(catalogs.map(textsOf))).flat();
const missing = texts.filter(({ translation }) => !translation);
const isOfServer = ({ catalog }: Text) => catalog.startsWith('server/');
for (const { catalog, message } of missing.filter(isOfServer))
  console.warn(`warning: ${catalog}: “${message}” has no translation and stays English`);
const untranslated = missing
  .filter((text) => !isOfServer(text))
  .map(({ catalog, message, id }) => `${catalog}: “${message || id}” has no translation`);
const problems = [...untranslated, ...otherTranslations(texts), ...texts.flatMap(otherParts)];
if (texts.length === 0) problems.push('no catalogs found: is the script in the right place?');
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `texts: ${texts.length} are fine` : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
