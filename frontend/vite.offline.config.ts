import { lingui } from '@lingui/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';
import packageFile from './package.json' with { type: 'json' };
import { serverTexts, sourceTexts } from './scripts/catalogTexts.ts';
import { mantineStyles } from './scripts/mantineStyles.ts';

/** The page of a report as one file, into which the backend writes the data (`exports/page.py`). */
export default defineConfig({
  plugins: [
    lingui({ macroTransform: true, failOnCompileError: true }),
    sourceTexts(),
    serverTexts(),
    react(),
    mantineStyles(),
    viteSingleFile({ removeViteModuleLoader: true }),
  ],
  define: { __VERSION__: JSON.stringify(packageFile.version) },
  resolve: { alias: { '@': `${import.meta.dirname}/src` } },
  publicDir: false,
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    outDir: 'dist/offline',
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 2500,
    rollupOptions: { input: 'offline.html' },
  },
});
