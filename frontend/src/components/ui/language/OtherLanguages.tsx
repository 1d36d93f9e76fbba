import { t } from '@lingui/core/macro';
import { Anchor } from '@mantine/core';
import { ALL_LANGUAGES, LANGUAGES, type Language, useLanguage } from '@/lib/language/language';
import { changeLanguage } from '@/lib/language/texts';

const FIELDS = 'input:not([type=radio], [type=checkbox]), textarea';

let last: EventTarget | null = null;
document.addEventListener('input', ({ target }) => (last = target), true);

/** Whether a field of the page, other than a choice, holds something that the reader typed last. */
function hasTyped(): boolean {
  return (
    (last instanceof HTMLInputElement || last instanceof HTMLTextAreaElement) &&
    last.matches(FIELDS) &&
    last.isConnected &&
    last.value !== ''
  );
}

/** The page is drawn anew in the other language. What the reader has typed is not lost unasked: then it is not. */
export async function askForLanguage(language: Language): Promise<boolean> {
  if (hasTyped() && !window.confirm(t`What you typed on this page is lost in another language. Change it?`))
    return false;
  await changeLanguage(language);
  return true;
}

/** Leads to the page in its other languages: for pages without the menu of the shell. */
export function OtherLanguages() {
  const current = useLanguage();
  return ALL_LANGUAGES.filter((language) => language !== current).map((language) => (
    <Anchor
      key={language}
      component="button"
      type="button"
      size="sm"
      c="var(--text-dim)"
      className="no-print"
      lang={language}
      onClick={() => void askForLanguage(language)}
    >
      {LANGUAGES[language]}
    </Anchor>
  ));
}
