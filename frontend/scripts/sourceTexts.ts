import { createCompiledCatalog } from '@lingui/cli/api';
import { formatter } from '@lingui/format-po';
import type { Plugin } from 'vite';

/** A catalog in the language of the sources, compiled from the texts that a translation has beside its own: `FILE.po?source`. */
export function sourceTexts(): Plugin {
  const { parse } = formatter();
  return {
    name: 'source-texts',
    transform: {
      filter: { id: /\.po\?source$/ },
      async handler(content, filename) {
        const catalog = await parse(content, { locale: 'en', sourceLocale: 'en', filename });
        const texts = Object.entries(catalog).map(([id, { message = '' }]) => [id, message]);
        const { source, errors } = createCompiledCatalog('en', Object.fromEntries(texts), {
          namespace: 'es',
        });
        if (errors.length > 0)
          this.error(`${filename}: ${errors.map(({ error }) => error.message).join('; ')}`);
        return { code: source, map: null, moduleType: 'js' };
      },
    },
  };
}
