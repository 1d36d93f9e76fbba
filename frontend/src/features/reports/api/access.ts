import { createContext, useContext } from 'react';

/** How the reader came to the report: signed in (`null`), or by the token of a share link. */
export const ShareToken = createContext<string | null>(null);

export function useShareToken(): string | null {
  return useContext(ShareToken);
}
