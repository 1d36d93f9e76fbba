/**
 * The structure that a linter of single files does not see. Run by `npm run check`.
 *
 * - Imports flow lib -> components/ui, and lib -> domain, api -> components -> features -> app.
 * - Features do not import each other.
 * - A folder holds at most 20 files of its own: where one grows, it is several rooms.
 * - A function has at most 40 lines, its JSX included: Biome's rule counts the code only. Tests are exempt.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import ts from 'typescript';

const MAX_FILES_IN_FOLDER = 20;
const MAX_LINES_OF_FUNCTION = 40;
const root = join(import.meta.dirname, '..', 'src');
const generated = join('api', 'generated') + sep;

type Layer = 'lib' | 'ui' | 'domain' | 'api' | 'components' | 'feature' | 'app';

/** What each layer may import, beside itself. */
const BELOW: Record<Layer, readonly Layer[]> = {
  lib: [],
  ui: ['lib'],
  domain: ['lib', 'api'],
  api: ['lib', 'domain'],
  components: ['lib', 'ui', 'domain', 'api'],
  feature: ['lib', 'ui', 'domain', 'api', 'components'],
  app: ['lib', 'ui', 'domain', 'api', 'components', 'feature'],
};

interface Place {
  layer: Layer;
  feature?: string;
}

/** Tests and what only they use stand outside of the layers. */
const isTest = (path: string) => /\.test(data)?\.tsx?$/.test(path) || path.startsWith(`test${sep}`);

function placeOf(path: string): Place {
  const [top, second] = path.split(sep);
  if (top === 'features') return { layer: 'feature', feature: second };
  if (top === 'components') return { layer: second === 'ui' ? 'ui' : 'components' };
  if (top === 'lib' || top === 'domain' || top === 'api') return { layer: top };
  return { layer: 'app' };
}

function importsOf(text: string): string[] {
  const pattern = /(?:from\s+|import\s+|import\()\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function resolveInside(file: string, specifier: string): string | null {
  if (specifier.startsWith('@/')) return normalize(specifier.slice(2));
  return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : null;
}

function violation(from: Place, to: Place): string | null {
  if (from.layer !== to.layer && !BELOW[from.layer].includes(to.layer))
    return `${from.layer} imports ${to.layer}`;
  if (from.feature !== to.feature && from.layer === 'feature' && to.layer === 'feature')
    return `feature ${from.feature} imports feature ${to.feature}`;
  return null;
}

function wrongImports(file: string): string[] {
  return importsOf(readFileSync(join(root, file), 'utf8')).flatMap((specifier) => {
    const target = resolveInside(file, specifier);
    const message = target && violation(placeOf(file), placeOf(target));
    return message ? [`${file}: ${message} (${specifier})`] : [];
  });
}

function crowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MAX_FILES_IN_FOLDER)
    .map(([folder, count]) => `${folder}: ${count} files (at most ${MAX_FILES_IN_FOLDER})`);
}

function nameOf(node: ts.FunctionLikeDeclaration): string {
  const named = node.name ? node : ts.isVariableDeclaration(node.parent) ? node.parent : null;
  return named?.name?.getText() ?? 'a function';
}

function longFunctions(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: string[] = [];
  function visit(node: ts.Node): void {
    if (ts.isFunctionLike(node) && 'body' in node) {
      const [first, last] = [lineOf(node.getStart()), lineOf(node.getEnd())];
      const lines = last - first + 1;
      if (lines > MAX_LINES_OF_FUNCTION)
        found.push(
          `${file}:${first}: ${nameOf(node as ts.FunctionLikeDeclaration)} has ${lines} lines (at most 40)`,
        );
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  return found;
}

const files = globSync('**/*.*', { cwd: root }).filter((file) => !file.startsWith(generated));
const code = files.filter((file) => /\.tsx?$/.test(file));
const product = code.filter((file) => !isTest(file));
const problems = [
  ...product.flatMap(wrongImports),
  ...crowdedFolders(files),
  ...product.flatMap(longFunctions),
];
if (code.length === 0) problems.push('no source files found: is the script in the right place?');
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? `structure: ${code.length} files are fine` : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
