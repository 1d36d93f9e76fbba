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
