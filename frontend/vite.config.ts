/// <reference types="vitest/config" />
import { lingui } from '@lingui/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import packageFile from './package.json' with { type: 'json' };
import { serverTexts, sourceTexts } from './scripts/catalogTexts.ts';
import { mantineStyles } from './scripts/mantineStyles.ts';

/** Where `npm run dev` finds the backend. */
const backend = process.env.NGXLAB_DEV_BACKEND ?? 'http://127.0.0.1:8400';

export default defineConfig({
  plugins: [
    lingui({ macroTransform: true, failOnCompileError: true }),
    sourceTexts(),
    serverTexts(),
    react(),
    mantineStyles(),
  ],
  define: { __VERSION__: JSON.stringify(packageFile.version) },
  resolve: { alias: { '@': `${import.meta.dirname}/src` } },
  server: { proxy: { '/api': backend, '/readyz': backend } },
  // The colours are light-dark() pairs, which these browsers know; older targets would have them rewritten.
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    sourcemap: false,
    // Which chunks a page needs: `scripts/check-weight.ts` adds them up.
    manifest: true,
    modulePreload: { polyfill: false },
    // What is opened first comes in few files, each with all that it needs: packed together, they are a fifth smaller
    // than as 140, which would also wait for each other. What many pages need is apart from the report's own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', priority: 4, test: /src\/app\/\w+\.tsx?$/ },
            { name: 'shell', priority: 3, test: /src\/app\/shell\/Shell\.tsx$/ },
            {
              name: 'common',
              priority: 2,
              minShareCount: 8,
              test: /src\/(api|components|domain|lib)\/|@mantine(?!.*NumberInput)|@tabler/,
            },
            { name: 'report', priority: 1, test: /src\/features\/reports\/ReportPage\.tsx$/ },
          ],
        },
      },
    },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test-setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    // By itself it leaves one CPU alone, which is half of a small machine.
    maxWorkers: '100%',
    // A slow machine fails no test.
    testTimeout: 60_000,
  },
});
