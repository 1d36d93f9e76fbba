import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { itemsOf } from '@/api/client';
import { listPasskeysOptions, listPasskeysQueryKey, removePasskeyMutation } from '@/api/generated';
import { meKey, useMe } from '@/api/session';
import { PasskeysPanel } from '@/components/access/AccessPanels';
import { AddPasskeyForm } from '@/components/access/AddPasskeyForm';
import { WherePossible } from '@/components/access/PasskeyObstacle';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';

function NewPasskeyPanel() {
  const query = useQuery(listPasskeysOptions());
  const { data: me } = useMe();
  return (
    <Panel
      title={t`New passkey`}
      note={t`A key in your phone, computer or security key. Once you have one, signing in with your password needs it, too, and so does what makes other ways in: links, tokens, people, hosts.`}
    >
      <QueryView query={query} skeleton={[90]}>
        {(passkeys) => (
          <WherePossible passkeys={passkeys}>
            <AddPasskeyForm
              key={passkeys.items.length}
              needsPassword={passkeys.items.length === 0 && (me?.account.has_password ?? true)}
            />
          </WherePossible>
        )}
      </QueryView>
    </Panel>
  );
}

/** The passkeys of who is signed in, and adding one. */
export function PasskeysTab() {
  const passkeys = useQuery({ ...listPasskeysOptions(), select: itemsOf });
  const remove = useMutation({
    ...removePasskeyMutation(),
    meta: { refetches: [listPasskeysQueryKey(), meKey] },
  });
  const isOnly = passkeys.data?.length === 1;
  return (
    <Stack gap="md">
      <PasskeysPanel
        passkeys={passkeys}
        note={
          isOnly
            ? t`You have one passkey. Add a second on another device: without any, only an administrator lets you in.`
            : t`Keep at least two, on different devices: if you lose the only one, only an administrator lets you in.`
        }
        remove={(id) => remove.mutate({ path: { passkey_id: id } })}
      />
      <NewPasskeyPanel />
    </Stack>
  );
}
