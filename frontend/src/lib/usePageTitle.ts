import { useEffect } from 'react';

/** The document's title while the calling page is shown. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · ngxlab` : 'ngxlab';
  }, [title]);
}
