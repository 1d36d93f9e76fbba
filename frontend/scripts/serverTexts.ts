import { formatter } from '@lingui/format-po';
import type { Plugin } from 'vite';
import { textId } from '../src/lib/language/textId.ts';

/**
 * A catalog of what the server says, whose English no page has: translations by the short names of texts and templates:
 * `FILE.po?server`.
 */
export function serverTexts(): Plugin {
  const { parse } = formatter();
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
