import { createContext, useContext } from 'react';

/** The token of the share link that opened the report; `null` for a signed-in reader. */
export const ShareToken = createContext<string | null>(null);

/** In the place of a token where the report is a file, and no server can be asked. */
export const IN_A_FILE = 'file:';

export function useShareToken(): string | null {
  return useContext(ShareToken);
}

/** The source of further data of a report: its run, or its share link. */
export type ReportSource = { runId: string } | { token: string };

/** `null` where there is no server. */
export function useReportSource(runId: string): ReportSource | null {
  const token = useShareToken();
  if (token === IN_A_FILE) return null;
  return token === null ? { runId } : { token };
}
