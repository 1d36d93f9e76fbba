import { createCompiledCatalog } from '@lingui/cli/api';
import { formatter } from '@lingui/format-po';
import type { Plugin } from 'vite';
import { textId } from '../src/lib/language/textId.ts';

const { parse } = formatter();

/** What a catalog is compiled to, for `FILE.po?KIND`: the code of a module, or what is wrong. */
function compiled(
  kind: string,
  locale: string,
  compile: (entries: Entries) => { code: string; problem?: string },
): Plugin {
  return {
    name: `${kind}-texts`,
    transform: {
      filter: { id: new RegExp(`\\.po\\?${kind}$`) },
      async handler(content, filename) {
        const entries = await parse(content, { locale, sourceLocale: 'en', filename });
        const { code, problem } = compile(entries);
        if (problem) this.error(`${filename}: ${problem}`);
        return { code, map: null, moduleType: 'js' };
      },
    },
  };
}

type Entries = Awaited<ReturnType<typeof parse>>;

/** A catalog in the language of the sources, compiled from the texts that a translation has beside its own. */
export const sourceTexts = () =>
  compiled('source', 'en', (entries) => {
    const texts = Object.entries(entries).map(([id, { message = '' }]) => [id, message]);
    const { source, errors } = createCompiledCatalog('en', Object.fromEntries(texts), { namespace: 'es' });
    return { code: source, problem: errors.map(({ error }) => error.message).join('; ') };
  });

/** A catalog of what the server says, whose English no page has: translations by the short names of texts and templates. */
export const serverTexts = () =>
  compiled('server', 'zh-Hans', (entries) => {
    const catalog = Object.values(entries);
    const texts = new Map(
      catalog.map(({ message = '', translation = '' }) => [textId(message), translation]),
    );
    return {
      code: `export const messages = ${JSON.stringify(Object.fromEntries(texts))};`,
      problem: texts.size < catalog.length ? 'two texts have the same short name' : undefined,
    };
  });
