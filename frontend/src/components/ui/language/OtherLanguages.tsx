import { t } from '@lingui/core/macro';
import { Anchor } from '@mantine/core';
import { ALL_LANGUAGES, LANGUAGES, type Language } from '@/lib/language/language';
import { changeLanguage } from '@/lib/language/texts';
import { hasTyped } from '@/lib/language/typed';
import { useLanguage } from '@/lib/language/useLanguage';

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
