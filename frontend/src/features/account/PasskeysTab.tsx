import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { itemsOf } from '@/api/client';
import {
  listPasskeysOptions,
  listPasskeysQueryKey,
  type OwnPasskeys,
  removePasskeyMutation,
} from '@/api/generated';
import { meKey, useMe } from '@/api/session';
import { PasskeysPanel } from '@/components/access/AccessPanels';
import { AddPasskeyForm } from '@/components/access/AddPasskeyForm';
import { WherePossible } from '@/components/access/PasskeyObstacle';
import { Panel } from '@/components/ui/Panel';

function NewPasskeyPanel({ passkeys }: { passkeys: OwnPasskeys }) {
  const { data: me } = useMe();
  const { length } = passkeys.items;
  return (
    <Panel
      title={t`New passkey`}
      note={t`A key in your phone, computer or security key. Once you have one, signing in with your password needs it, too, and so does what makes other ways in: links, tokens, people, hosts.`}
    >
      <WherePossible passkeys={passkeys}>
        <AddPasskeyForm key={length} needsPassword={length === 0 && (me?.account.has_password ?? true)} />
      </WherePossible>
    </Panel>
  );
}

function adviceOn({ items, unavailable }: OwnPasskeys): string | undefined {
  if (items.length === 1)
    return t`You have one. Add a second on another device: whoever has lost all needs an administrator.`;
  if (unavailable) return undefined;
  return t`Keep two, on different devices: whoever has lost all needs an administrator.`;
}

/** The passkeys of who is signed in, and adding one. */
export function PasskeysTab() {
  const { data: own } = useQuery(listPasskeysOptions());
  const remove = useMutation({
    ...removePasskeyMutation(),
    meta: { refetches: [listPasskeysQueryKey(), meKey] },
  });
  return (
    <Stack gap="md">
      <PasskeysPanel
        passkeys={useQuery({ ...listPasskeysOptions(), select: itemsOf })}
        note={own && adviceOn(own)}
        remove={(id) => remove.mutate({ path: { passkey_id: id } })}
      />
      {own && <NewPasskeyPanel passkeys={own} />}
    </Stack>
  );
}
