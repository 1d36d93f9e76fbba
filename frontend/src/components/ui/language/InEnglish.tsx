import type { ReactNode } from 'react';

/** What the server says in its own words, whatever the language of the page. */
export function InEnglish({ children }: { children: ReactNode }) {
  return <span lang="en">{children}</span>;
}
