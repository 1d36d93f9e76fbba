import { createCompiledCatalog } from '@lingui/cli/api';
import { formatter } from '@lingui/format-po';
import type { Plugin } from 'vite';
import { textId } from '../src/lib/language/textId.ts';

const { parse } = formatter();

/** A catalog in the language of the sources, compiled from the texts that a translation has beside its own: `FILE.po?source`. */
export function sourceTexts(): Plugin {
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

/**
 * A catalog of what the server says, whose English no page has: translations by the short names of texts and templates:
 * `FILE.po?server`.
 */
export function serverTexts(): Plugin {
  return {
    name: 'server-texts',
    transform: {
      filter: { id: /\.po\?server$/ },
      async handler(content, filename) {
        const catalog = Object.values(
          await parse(content, { locale: 'zh-Hans', sourceLocale: 'en', filename }),
        );
        const texts = new Map(
          catalog.map(({ message = '', translation = '' }) => [textId(message), translation]),
        );
        if (texts.size < catalog.length) this.error(`${filename}: two texts have the same short name`);
        const messages = JSON.stringify(Object.fromEntries(texts));
        return { code: `export const messages = ${messages};`, map: null, moduleType: 'js' };
      },
    },
  };
}
