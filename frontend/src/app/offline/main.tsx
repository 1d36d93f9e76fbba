import '@/app/styles';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { textsInFile } from '@/app/offline/texts';
import { Providers } from '@/app/Providers';
import { createQueryClient } from '@/app/queryClient';
import FileReportPage, { type ReportFile, remember } from '@/features/reports/sharing/FileReportPage';
import { beginTexts } from '@/lib/language/texts';

const root = document.getElementById('root');
const data = document.getElementById('ngxlab-data')?.textContent;
if (!root || !data) throw new Error('this file has no report inside');

const file = JSON.parse(data) as ReportFile;
const queryClient = createQueryClient();
remember(queryClient, file);
// The address of a file cannot change, so what pages keep in it is kept in memory.
const router = createMemoryRouter([{ path: '*', element: <FileReportPage report={file.report} /> }]);

void beginTexts(textsInFile, 'app', 'shared', 'reports', 'server/results').then(() =>
  createRoot(root).render(
    <Providers queryClient={queryClient}>
      <RouterProvider router={router} />
    </Providers>,
  ),
);
