import { useMutation } from '@tanstack/react-query';
import { exportRun, exportSharedRun } from '@/api/generated';
import type { ReportSource } from '@/api/sharing/access';
import { download } from '@/lib/files/download';
import { currentLanguage } from '@/lib/language/language';

const how = () => ({ parseAs: 'blob', throwOnError: true, query: { language: currentLanguage() } }) as const;

function print(source: ReportSource) {
  const name = 'report.pdf';
  if ('runId' in source) return exportRun({ ...how(), path: { run_id: source.runId, name } });
  return exportSharedRun({ ...how(), path: { token: source.token, name } });
}

/** The name that the server gave the file. */
const nameIn = ({ headers }: Response) =>
  /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'report.pdf';

/** Has the server print the report, which takes seconds and may be impossible there: then it says why. */
export function usePdf(source: ReportSource) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await print(source);
      download(data as Blob, nameIn(response));
    },
  });
}
