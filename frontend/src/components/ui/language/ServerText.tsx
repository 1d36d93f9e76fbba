import { languageOf, type Said, said } from '@/lib/language/serverText';
import { Prose } from '../Prose';

/** What the server says: in the reader's language where its words have a translation, else in English. */
export function ServerText({ text }: { text: Said }) {
  return (
    <span lang={languageOf(text)}>
      <Prose text={said(text)} />
    </span>
  );
}
