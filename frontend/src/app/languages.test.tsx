import { i18n } from '@lingui/core';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import LoginPage from '@/features/auth/LoginPage';
import { formatInterval, formatValue } from '@/lib/format';
import { beginTexts, followLanguage } from '@/lib/language/texts';
import { formatDateTime, formatRelative } from '@/lib/time';
import { plain } from '@/test/plain';
import { problem, serve } from '@/test/server';
import { Providers } from './Providers';
import { createQueryClient } from './queryClient';
import { textsOnServer } from './texts';

const speaks = (...languages: string[]) => vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);

async function open() {
  serve({
    'GET /auth/methods': { password: true, oidc_label: null },
    'GET /auth/me': problem(401, 'Sign in first.', 'not-signed-in'),
  });
  await beginTexts(textsOnServer, 'app');
  const router = createMemoryRouter([{ path: '*', element: <LoginPage /> }]);
  render(
    <Providers queryClient={createQueryClient()}>
      <RouterProvider router={router} />
    </Providers>,
  );
  return userEvent.setup();
}

const isIn = async (language: string, title: string) => {
  expect(await screen.findByRole('heading', { level: 1, name: title })).toBeInTheDocument();
  expect(document.documentElement).toHaveAttribute('lang', language);
};

describe('The language of the pages', () => {
  beforeEach(() => localStorage.clear());
  afterEach(() => i18n.activate('en'));

  it.each([
    [['zh-CN', 'en'], 'zh-Hans', '登录'],
    [['de', 'zh'], 'zh-Hans', '登录'],
    [['zh-Hans-HK'], 'zh-Hans', '登录'],
    [['zh-TW', 'en-US'], 'en', 'Sign in'],
    [['en-US', 'zh-CN'], 'en', 'Sign in'],
    [['de-AT', 'fr'], 'en', 'Sign in'],
    [[], 'en', 'Sign in'],
  ])('is the first of the browser that there is: %s', async (languages, language, title) => {
    speaks(...languages);
    await open();
    await isIn(language, title);
  });

  it('is changed on the page, and the next time it is what was chosen', async () => {
    speaks('en-US');
    const user = await open();
    await user.click(screen.getByRole('button', { name: '简体中文' }));
    await isIn('zh-Hans', '登录');
    expect(await screen.findByLabelText('密码')).toBeInTheDocument();
    await waitFor(() => expect(document.title).toBe('登录 · ngxlab'));
    await beginTexts(textsOnServer, 'app');
    await isIn('zh-Hans', '登录');
    await user.click(screen.getByRole('button', { name: 'English' }));
    await isIn('en', 'Sign in');
  });

  it('is not changed over what was typed, unless its reader agrees', async () => {
    speaks('en-US');
    const answer = vi.spyOn(window, 'confirm').mockReturnValue(false);
    const user = await open();
    await user.type(await screen.findByLabelText('E-mail'), 'me@example.org');
    await user.click(screen.getByRole('button', { name: '简体中文' }));
    expect(answer).toHaveBeenCalledOnce();
    expect(screen.getByLabelText('E-mail')).toHaveValue('me@example.org');
    answer.mockReturnValue(true);
    await user.click(screen.getByRole('button', { name: '简体中文' }));
    await isIn('zh-Hans', '登录');
  });

  it('is that of the browser where the browser keeps nothing', async () => {
    speaks('zh-CN');
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('refused', 'SecurityError');
    });
    await open();
    await isIn('zh-Hans', '登录');
  });

  it('is what was chosen elsewhere, where nothing was chosen here', async () => {
    speaks('en-US');
    const user = await open();
    await act(() => followLanguage('zh-Hans'));
    await isIn('zh-Hans', '登录');
    expect(localStorage.getItem('ngxlab.language')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'English' }));
    await act(() => followLanguage('zh-Hans'));
    await isIn('en', 'Sign in');
  });

  it('is that of dates, times and intervals; numbers and units are alike', async () => {
    speaks('zh-CN');
    await beginTexts(textsOnServer, 'app');
    expect(formatDateTime('2026-01-05T14:05:09Z')).toMatch(/^2026年1月5日 \S+ \d\d:05:09$/);
    expect(formatRelative('2026-01-05T14:05:09Z', Date.parse('2026-01-05T14:08:09Z'))).toBe('3分钟前');
    expect(plain(formatInterval(870, 1240, 'us'))).toBe('0.87 至 1.24 ms');
    expect(plain(formatValue(42_901, 'requests/s'))).toBe('42,901 req/s');
  });
});
