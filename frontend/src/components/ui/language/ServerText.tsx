import { languageOf, said } from '@/lib/language/serverText';
import { Prose } from '../Prose';

/** What the server says: in the reader's language where it is a fixed text (`src/api/texts`), else in English. */
export function ServerText({ text }: { text: string }) {
  return (
    <span lang={languageOf(text)}>
      <Prose text={said(text)} />
    </span>
  );
}
