import { defineConfig } from '@hey-api/openapi-ts';

/** `npm run generate`: the typed client of the backend, from the schema the backend writes. Agents' API left out. */
export default defineConfig({
  input: './openapi.json',
  output: { path: './src/api/generated', clean: true },
  parser: {
    filters: {
      operations: { exclude: [String.raw`/^\w+ \/api\/v1\/(agent|coordinator)\//`] },
      orphans: false,
    },
  },
  plugins: [
    { name: '@hey-api/client-fetch', baseUrl: '' },
    { name: '@hey-api/typescript', enums: false },
    { name: '@hey-api/sdk' },
  ],
});
