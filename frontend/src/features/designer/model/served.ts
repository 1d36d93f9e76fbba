/** Which of the files of a trial a location serves, as far as the text of the configuration says it. */
import type { Draft } from './draft/draft';
import type { DraftNginx } from './draft/serverDraft';

/** Where the agent makes them: `FOLDER/0` and so on below it. */
export const FILES = '@@folder@@/files';

const ROOT = new RegExp(String.raw`\broot\s+${FILES}/?\s*;`);
const LOCATION = /\blocation\s+(?:(=|~\*?|\^~)\s+)?([^\s{]+)\s*\{([^{}]*)\}/g;

/** The text of a configuration without what stands in its inner blocks. */
function outermost(text: string): string {
  let rest = text;
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(/\{[^{}]*\}/g, ';');
  }
  return rest;
}

const withoutComments = (text: string) => text.replace(/(^|\s)#.*$/gm, '$1');

/**
 * Whether requests for `/folder/0` are answered from the files. Where the folder is served by what levels set, by an
 * alias or by a regular expression, it is taken to be so: a warning that is wrong would be worse than none.
 */
export function isServed({ http, server }: DraftNginx, folder: string, levels: readonly string[]): boolean {
  const texts = [http ?? '', server ?? ''].map((text) =>
    withoutComments(String(text)).replace(/\{\{.*?\}\}/gs, ''),
  );
  if (levels.some((value) => value.includes(FILES))) return true;
  if (texts.some((text) => ROOT.test(outermost(text)))) return true;
  return texts.some((text) =>
    [...text.matchAll(LOCATION)].some(([, sign = '', pattern = '', body = '']) => {
      if (!body.includes(FILES)) return false;
      return sign.startsWith('~') || pattern.startsWith('@') || `/${folder}/0`.startsWith(pattern);
    }),
  );
}

/** What the levels set, as text. */
export const levelTexts = ({ factors }: Draft): string[] =>
  factors.flatMap(({ levels }) =>
    levels.flatMap(({ variables }) => variables.map(({ value }) => String(value))),
  );

/** Whether anything is served from files. */
export const servesFiles = ({ http, server }: DraftNginx): boolean =>
  [http, server].some((text) => withoutComments(String(text ?? '')).includes(FILES));

/** Whether a stream asks for files of the folder. */
export function isAsked({ streams }: Draft, folder: string): boolean {
  const paths = streams.flatMap(({ path, paths: many, requests }) => [
    path,
    many?.pattern,
    ...requests.map((request) => request.path),
  ]);
  return paths.some((path) => String(path ?? '').startsWith(`/${folder}/`));
}

/** The server with a location that serves a folder of files. */
export function withLocation(nginx: DraftNginx, folder: string): DraftNginx {
  const written = `location /${folder}/ {\n    root ${FILES};\n}\n`;
  const text = String(nginx.server ?? '').trimEnd();
  return { ...nginx, server: `${text}${text && '\n'}${written}` };
}
