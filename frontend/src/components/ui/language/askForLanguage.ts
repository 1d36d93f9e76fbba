import { t } from '@lingui/core/macro';
import type { Language } from '@/lib/language/language';
import { changeLanguage } from '@/lib/language/texts';
import { hasTyped } from '@/lib/language/typed';

/** The page is drawn anew in the other language. What the reader has typed is not lost unasked: then it is not. */
export async function askForLanguage(language: Language): Promise<boolean> {
  if (hasTyped() && !window.confirm(t`What you typed on this page is lost in another language. Change it?`))
    return false;
  await changeLanguage(language);
  return true;
}
