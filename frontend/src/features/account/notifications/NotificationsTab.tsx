import { Stack } from '@mantine/core';
import { QueryView } from '@/components/ui/QueryView';
import { useNotifications } from '../api/useNotifications';
import { ChannelsPanel } from './ChannelsPanel';
import { EmailPanel } from './EmailPanel';
import { NewWebhookForm } from './NewWebhookForm';

/** Where one is told that a run has ended or a host is away. */
export function NotificationsTab() {
  return (
    <QueryView query={useNotifications()} skeleton={[90, 140, 120]}>
      {({ channels, email_off }) => (
        <Stack gap="md">
          {!channels.some(({ kind }) => kind === 'email') && <EmailPanel off={email_off} />}
          <NewWebhookForm />
          <ChannelsPanel channels={channels} />
        </Stack>
      )}
    </QueryView>
  );
}
