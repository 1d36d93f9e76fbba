/**
 * After both builds: names the page for files as the backend knows it, and packs the assets.
 *
 * Browsers get `NAME.br` or `NAME.gz` instead of `NAME` (`backend/ngxlab/front/nginx.conf`).
 */
import { globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const SMALLEST = 1024;
const dist = join(import.meta.dirname, '..', 'dist');

renameSync(join(dist, 'offline', 'offline.html'), join(dist, 'offline', 'report.html'));

for (const name of globSync('assets/*.{js,css,svg}', { cwd: dist })) {
  const content = readFileSync(join(dist, name));
  if (content.length < SMALLEST) continue;
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(join(dist, `${name}.br`), brotliCompressSync(content, { params: size }));
  writeFileSync(join(dist, `${name}.gz`), gzipSync(content, { level: 9 }));
}
