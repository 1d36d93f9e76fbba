import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';
import { createSwcExtractor } from '@lingui/native-tools';

const TESTS = ['**/*.test.*', '**/*.testdata.*'];
const AT_ONCE = ['src/app', 'src/lib', 'src/components/ui', 'src/features/auth'];

/**
 * English is in the sources; each catalog has the other languages of what arrives together (`src/app/texts.ts`). What the
 * server says is listed in `src/api/texts` by `make texts`.
 */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['zh-Hans'],
  catalogs: [
    { path: 'src/texts/{locale}/app', include: AT_ONCE, exclude: TESTS },
    { path: 'src/texts/{locale}/server/results', include: ['src/api/texts/results.ts'] },
    { path: 'src/texts/{locale}/server/forms', include: ['src/api/texts/forms.ts'] },
    { path: 'src/texts/{locale}/server/problems', include: ['src/api/texts/problems.ts'] },
    { path: 'src/texts/{locale}/server/definitions', include: ['src/api/texts/definitions.ts'] },
    {
      path: 'src/texts/{locale}/shared',
      include: ['src/components', 'src/domain', 'src/api'],
      exclude: [...TESTS, 'src/components/ui', 'src/api/generated', 'src/api/texts'],
    },
    {
      path: 'src/texts/{locale}/{name}',
      include: ['src/features/{name}'],
      exclude: [...TESTS, 'src/features/auth'],
    },
  ],
  // Neither the place nor the order in a file changes a catalog: only its texts do.
  format: formatter({ origins: false }),
  orderBy: 'message',
  extractors: [createSwcExtractor()],
  // Texts are found without a provider around a component: by functions, too, and in tests.
  runtimeConfigModule: { i18n: ['@lingui/core', 'i18n'], Trans: ['@/lib/language/Trans', 'Trans'] },
});
