/**
 * What Lingui's own checks do not see: they compare the catalogs with the code. Run by `npm run check`.
 *
 * - No text is looked up as a module is loaded: that is before its language is known, and only once.
 * - A text has one translation in all catalogs: once loaded, they are one.
 * - Each text of a page has a translation. What the server says is English without: that is a warning.
 * - A translation has the placeholders, tags and plurals of its text, and no others.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatter } from '@lingui/format-po';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import ts from 'typescript';

const root = join(import.meta.dirname, '..', 'src');
const LOOKED_UP = new Set(['t', 'plural', 'select', 'selectOrdinal']);

/** The names by which a file calls the macros that look a text up at once; `msg` only describes one. */
function macrosOf(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (
      !ts.isImportDeclaration(statement) ||
      statement.moduleSpecifier.getText(source) !== "'@lingui/core/macro'"
    )
      continue;
    const bindings = statement.importClause?.namedBindings;
    for (const { name, propertyName } of bindings && ts.isNamedImports(bindings) ? bindings.elements : [])
      if (LOOKED_UP.has((propertyName ?? name).text)) names.add(name.text);
  }
  return names;
}

function looksUp(node: ts.Node, macros: Set<string>): boolean {
  const called = ts.isTaggedTemplateExpression(node)
    ? node.tag
    : ts.isCallExpression(node)
      ? node.expression
      : null;
  return called !== null && ts.isIdentifier(called) && macros.has(called.text);
}

function earlyTexts(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const macros = macrosOf(source);
  const found: string[] = [];
  function visit(node: ts.Node): void {
    if (ts.isFunctionLike(node)) return; // called later
    if (looksUp(node, macros)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(
        `${file}:${line + 1}: a text is looked up as the module is loaded: make it a function, or use msg`,
      );
    }
    ts.forEachChild(node, visit);
  }
  if (macros.size > 0) visit(source);
  return found;
}

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

const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test(data)?\.tsx?$/.test(file));
const catalogs = globSync('texts/*/**/*.po', { cwd: root });
const texts = (await Promise.all(catalogs.map(textsOf))).flat();
const missing = texts.filter(({ translation }) => !translation);
const isOfServer = ({ catalog }: Text) => catalog.startsWith('server/');
for (const { catalog, message } of missing.filter(isOfServer))
  console.warn(`warning: ${catalog}: “${message}” has no translation and stays English`);
const untranslated = missing
  .filter((text) => !isOfServer(text))
  .map(({ catalog, message, id }) => `${catalog}: “${message || id}” has no translation`);
const problems = [
  ...files.flatMap(earlyTexts),
  ...untranslated,
  ...otherTranslations(texts),
  ...texts.flatMap(otherParts),
];
if (texts.length === 0) problems.push('no catalogs found: is the script in the right place?');
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `texts: ${texts.length} are fine` : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
