/**
 * The structure that a linter of single files does not see. Run by `npm run check`.
 *
 * - Imports flow lib -> components/ui, and lib -> domain, api -> components -> features -> app.
 * - Features do not import each other.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

const root = join(import.meta.dirname, '..', 'src');
const generated = join('api', 'generated') + sep;

/** What each layer may import, beside itself; where the parts of the page are put together, everything. */
const BELOW: Record<string, readonly string[]> = {
  lib: [],
  'components/ui': ['lib'],
  domain: ['lib', 'api'],
  api: ['lib', 'domain'],
  components: ['lib', 'components/ui', 'domain', 'api'],
  features: ['lib', 'components/ui', 'domain', 'api', 'components'],
};

/** Tests and what only they use stand outside of the layers. */
const isTest = (path: string) => /\.test(data)?\.tsx?$/.test(path) || path.startsWith(`test${sep}`);

/** The layer of a file; each feature is a place of its own. */
function placeOf(path: string): string {
  const [top = '', second] = path.split(sep);
  if (top === 'features' || (top === 'components' && second === 'ui')) return `${top}/${second}`;
  return top in BELOW ? top : 'app';
}

function importsOf(text: string): string[] {
  const pattern = /(?:from\s+|import\s+|import\()\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function resolveInside(file: string, specifier: string): string | null {
  if (specifier.startsWith('@/')) return normalize(specifier.slice(2));
  return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : null;
}

function wrongImports(file: string): string[] {
  const from = placeOf(file);
  const below = BELOW[from.startsWith('features/') ? 'features' : from];
  return importsOf(readFileSync(join(root, file), 'utf8')).flatMap((specifier) => {
    const target = resolveInside(file, specifier);
    const to = target && placeOf(target);
    const isFine = !to || !below || to === from || below.includes(to);
    return isFine ? [] : [`${file}: ${from} imports ${to} (${specifier})`];
  });
}

const files = globSync('**/*.*', { cwd: root }).filter((file) => !file.startsWith(generated));
const code = files.filter((file) => /\.tsx?$/.test(file));
const product = code.filter((file) => !isTest(file));
const problems = product.flatMap(wrongImports);
if (code.length === 0) problems.push('no source files found: is the script in the right place?');
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? `structure: ${code.length} files are fine` : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
