import { createContext, useContext } from 'react';

/** How the reader came to the report: signed in (`null`), or by the token of a share link. */
export const ShareToken = createContext<string | null>(null);

/** In the place of a token where the report is a file, and no server can be asked. */
export const IN_A_FILE = 'file:';

export function useShareToken(): string | null {
  return useContext(ShareToken);
}

/** Where more of the report can be had: as a run, or by its link. */
export type ReportSource = { runId: string } | { token: string };

/** `null` where there is no server. */
export function useReportSource(runId: string): ReportSource | null {
  const token = useShareToken();
  if (token === IN_A_FILE) return null;
  return token === null ? { runId } : { token };
}
