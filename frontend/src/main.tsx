import '@/app/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { configureClient } from '@/api/client';
import { Providers } from '@/app/Providers';
import { createQueryClient } from '@/app/queryClient';
import { createRouter } from '@/app/router';
import { textsOnServer } from '@/app/texts';
import { framedScheme } from '@/app/theme';
import { beginTexts, loadTexts } from '@/lib/language/texts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

configureClient();
const queryClient = createQueryClient();

const texts = beginTexts(textsOnServer, 'app');
const router = createRouter(queryClient); // which begins to fetch the page, and who is signed in

void texts.then(() => {
  createRoot(root).render(
    <StrictMode>
      <Providers queryClient={queryClient} colorScheme={framedScheme(window.location)}>
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  );
  void loadTexts('server/problems');
});
