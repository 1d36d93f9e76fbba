import { i18n } from '@lingui/core';
import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, onTestFinished } from 'vitest';
import { meKey } from '@/api/session';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { AccountMenu } from './AccountMenu';

describe('AccountMenu', () => {
  it('keeps the language that is chosen there for the account', async () => {
    i18n.load('zh-Hans', {});
    onTestFinished(() => {
      localStorage.clear();
      i18n.activate('en');
    });
    const server = serve({ 'PUT /auth/language': null });
    const { user, queryClient } = show(<AccountMenu />);
    await user.click(screen.getByRole('button', { name: 'Account and appearance' }));
    await user.click(await screen.findByRole('menuitemradio', { name: '简体中文' }));
    await waitFor(() => expect(server.bodies('PUT /auth/language')).toEqual([{ language: 'zh-Hans' }]));
    expect(i18n.locale).toBe('zh-Hans');
    await waitFor(() => expect(queryClient.getQueryData(meKey)).toMatchObject({ language: 'zh-Hans' }));
  });
});
