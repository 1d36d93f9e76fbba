import { english, languageOf, type Said, said } from '@/lib/language/serverText';
import { Prose } from '../Prose';

/** What the server says: in the reader's language where its words have a translation, else in English. */
export function ServerText({ text }: { text: Said }) {
  return (
    <span lang={languageOf(text)}>
      <Prose text={said(text)} />
    </span>
  );
}

/** A list of what the server says. */
export function ServerTexts({ texts, className }: { texts: readonly Said[]; className?: string }) {
  return (
    <ul className={className}>
      {texts.map((text) => (
        <li key={english(text)}>
          <ServerText text={text} />
        </li>
      ))}
    </ul>
  );
}
