import { t } from '@lingui/core/macro';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap } from '@/api/client';
import { addPasskey, beginPasskey, listPasskeysQueryKey } from '@/api/generated';
import { meKey } from '@/api/session';
import { FormProblem } from '@/components/ui/FormProblem';
import { makePasskey } from '@/lib/passkeys';
import { ApiProblem, messageOf } from '@/lib/problem';
import { describeBrowser } from './AccessPanels';

interface Props {
  /** The first passkey of an account needs its password: a session alone must not lock its person out. */
  needsPassword: boolean;
  onAdded?: () => void;
}

function useAddPasskey() {
  return useMutation({
    meta: { errorShownInPlace: true, refetches: [listPasskeysQueryKey(), meKey] },
    mutationFn: async ({ name, password }: { name: string; password: string | null }) => {
      const { options } = await unwrap(beginPasskey({ body: { password }, throwOnError: true }));
      const made = await makePasskey(options);
      return await unwrap(addPasskey({ body: { name, ...made }, throwOnError: true }));
    },
  });
}

const atPassword = (error: unknown) =>
  error instanceof ApiProblem ? error.fields.find(({ field }) => field === 'password')?.message : undefined;

export function AddPasskeyForm({ needsPassword, onAdded }: Props) {
  const [name, setName] = useState(() => describeBrowser(navigator.userAgent));
  const [password, setPassword] = useState('');
  const add = useAddPasskey();
  const wrong = atPassword(add.error);
  function submit(event: FormEvent) {
    event.preventDefault();
    const sent = { name: name.trim(), password: needsPassword ? password : null };
    add.mutate(sent, {
      onSuccess: () => {
        setPassword('');
        onAdded?.();
      },
    });
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={360}>
        <FormProblem message={add.error && !wrong ? messageOf(add.error) : undefined} />
        <TextInput
          label={t`Name`}
          description={t`By which you know the device, or where the passkey is kept`}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {needsPassword && (
          <PasswordInput
            label={t`Current password`}
            autoComplete="current-password"
            value={password}
            error={wrong}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Button
          type="submit"
          loading={add.isPending}
          disabled={!name.trim() || (needsPassword && !password)}
          style={{ alignSelf: 'flex-start' }}
        >
          {t`Add passkey`}
        </Button>
      </Stack>
    </form>
  );
}
