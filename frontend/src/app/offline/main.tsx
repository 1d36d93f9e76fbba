import '@/app/styles';
import type { Messages } from '@lingui/core';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { Providers } from '@/app/Providers';
import { createQueryClient } from '@/app/queryClient';
import FileReportPage, { type ReportFile, remember } from '@/features/reports/sharing/FileReportPage';
import type { Language } from '@/lib/language/language';
import { beginTexts } from '@/lib/language/texts';
import { whenComplete } from '@/lib/whenComplete';

type Found = Record<string, Messages>;

// Vite reads these words: the file has the texts of its page in every language.
const TEXTS: Record<Language, Found> = {
  en: import.meta.glob('../../texts/zh-Hans/{app,shared,reports}.po', {
    import: 'messages',
    query: '?source',
    eager: true,
  }) as Found,
  'zh-Hans': {
    ...(import.meta.glob('../../texts/zh-Hans/{app,shared,reports}.po', {
      import: 'messages',
      eager: true,
    }) as Found),
    ...(import.meta.glob('../../texts/zh-Hans/server/results.po', {
      import: 'messages',
      query: '?server',
      eager: true,
    }) as Found),
  },
};

const textsInFile = async (catalog: string, language: Language): Promise<Messages> =>
  TEXTS[language][`../../texts/zh-Hans/${catalog}.po`] ?? {};

const root = document.getElementById('root');
const data = document.getElementById('ngxlab-data')?.textContent;
if (!root || !data) throw new Error('this file has no report inside');

/** Until what it returns is called, the page has not loaded: a document within it is being written. */
function stillLoading(): () => void {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.body.append(frame);
  frame.contentDocument?.open();
  return () => {
    frame.contentDocument?.close();
    frame.remove();
  };
}

/** The server's printer opens the page so, and prints it when it has loaded (`backend/ngxlab/exports/pdf.py`). */
const loaded = window.location.hash === '#print' ? stillLoading() : undefined;

const file = JSON.parse(data) as ReportFile;
const queryClient = createQueryClient();
remember(queryClient, file);
// The address of a file cannot change, so what pages keep in it is kept in memory.
const router = createMemoryRouter([{ path: '*', element: <FileReportPage report={file.report} /> }]);

void beginTexts(textsInFile, 'app', 'shared', 'reports', 'server/results').then(() => {
  createRoot(root).render(
    <Providers queryClient={queryClient}>
      <RouterProvider router={router} />
    </Providers>,
  );
  if (loaded) void whenComplete(queryClient).then(loaded);
});
