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
    patch: {
      // Every refusal is thrown as an `ApiProblem` (`src/api/client.ts`), so the types of errors would be wrong.
      operations: (_method, _path, { responses }) => {
        for (const status of Object.keys(responses ?? {}))
          if (responses && !/^[23]/.test(status)) delete responses[status as keyof typeof responses];
      },
    },
  },
  plugins: [
    { name: '@hey-api/client-fetch', baseUrl: '' },
    { name: '@hey-api/typescript', enums: false },
    { name: '@hey-api/sdk' },
    {
      name: '@tanstack/react-query',
      includeInEntry: true,
      infiniteQueryOptions: false,
      queryKeys: { tags: true },
    },
  ],
});
