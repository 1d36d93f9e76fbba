import { Anchor } from '@mantine/core';
import { ALL_LANGUAGES, LANGUAGES } from '@/lib/language/language';
import { useLanguage } from '@/lib/language/useLanguage';
import { askForLanguage } from './askForLanguage';

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
