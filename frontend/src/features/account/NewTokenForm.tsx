import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createTokenMutation, listTokensQueryKey, type TokenScope } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { CopyField } from '@/components/ui/CopyField';
import { Panel } from '@/components/ui/Panel';

const lifetimes = () => [
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
  { value: '365', label: t`1 year` },
];

/** What each scope is for; offered are those that the reader's role includes. */
const scopes = () =>
  [
    { value: 'read', label: t`Read: look at everything`, role: 'viewer' },
    { value: 'operate', label: t`Operate: make and run experiments`, role: 'experimenter' },
    { value: 'administer', label: t`Administer: also hosts`, role: 'administrator' },
  ] as const;

function ScopeSelect({ value, onChange }: { value: TokenScope; onChange: (scope: TokenScope) => void }) {
  const mayOperate = useHasRole('experimenter');
  const mayAdminister = useHasRole('administrator');
  const offered = { viewer: true, experimenter: mayOperate, administrator: mayAdminister };
  return (
    <Select
      label={t`Scope`}
      data={scopes()
        .filter(({ role }) => offered[role])
        .map(({ value, label }) => ({ value, label }))}
      value={value}
      onChange={(scope) => onChange(scope as TokenScope)}
      allowDeselect={false}
      w={260}
    />
  );
}

/** A token is shown once: nobody can read it again later. */
function CreatedToken({ token }: { token: string }) {
  return (
    <Stack gap={4} mt="md" role="status">
      <Text size="sm">{t`Copy the token now. It is shown only once.`}</Text>
      <CopyField value={token} label={t({ message: 'token', context: 'copied' })} />
    </Stack>
  );
}

export function NewTokenForm() {
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const [scope, setScope] = useState<TokenScope>('read');
  const create = useMutation({ ...createTokenMutation(), meta: { refetches: [listTokensQueryKey()] } });
  function submit(event: FormEvent) {
    event.preventDefault();
    const body = { name: name.trim(), scope, expires_in_days: Number(days) };
    create.mutate({ body }, { onSuccess: () => setName('') });
  }
  return (
    <Panel
      title={t`New token`}
      note={t`For scripts and CI: send it as Authorization: Bearer. No token can manage people, passwords or tokens.`}
    >
      <Group component="form" onSubmit={submit} align="flex-end" gap="sm">
        <TextInput
          label={t`Name`}
          placeholder={t`What it is used for`}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ScopeSelect value={scope} onChange={setScope} />
        <Select
          label={t`Valid for`}
          data={lifetimes()}
          value={days}
          onChange={(value) => setDays(value ?? '30')}
          allowDeselect={false}
          w={160}
        />
        <Button type="submit" size="sm" loading={create.isPending} disabled={!name.trim()}>
          <Trans>Create token</Trans>
        </Button>
      </Group>
      {create.data && <CreatedToken token={create.data.token} />}
    </Panel>
  );
}
