import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { setCsrfToken, unwrap } from '@/api/client';
import {
  changePassword,
  listSessionsQueryKey,
  listTokensQueryKey,
  type PasswordChange,
} from '@/api/generated';
import { meKey } from '@/api/session';
import { FormProblem } from '@/components/ui/FormProblem';
import { useSentForm } from '@/lib/useSentForm';
import { z } from '@/lib/zod';

/** Replace one's password. All sessions and tokens end; this browser goes on with the new session of the answer. */
function useChangePassword() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: PasswordChange) => unwrap(changePassword({ body, throwOnError: true })),
    onSuccess: (me) => {
      setCsrfToken(me.csrf_token);
      queryClient.setQueryData(meKey, me);
      void queryClient.invalidateQueries({ queryKey: listSessionsQueryKey() });
      void queryClient.invalidateQueries({ queryKey: listTokensQueryKey() });
    },
  });
}

const schema = z
  .object({
    current_password: z
      .string()
      .check(z.minLength(1, { error: () => t`Enter the password that you have now` })),
    new_password: z
      .string()
      .check(
        z.minLength(10, { error: () => t`At least 10 characters` }),
        z.maxLength(128, { error: () => t`At most 128 characters` }),
      ),
    repeated: z.string(),
  })
  .check(
    z.refine((values) => values.new_password === values.repeated, {
      path: ['repeated'],
      error: () => t`The new passwords do not match`,
    }),
  );
type Values = z.infer<typeof schema>;
const EMPTY: Values = { current_password: '', new_password: '', repeated: '' };

interface Props {
  /** The label of the password that is replaced. */
  current: string;
  /** That password, where its owner typed it just now: it is not asked for again, unless the server refuses it. */
  typed?: string | undefined;
  onChanged: () => void;
}

const advice = () => t`10 to 128 characters. Several uncommon words are better than one with symbols.`;

export function PasswordForm({ current, typed, onChanged }: Props) {
  const change = useChangePassword();
  const { form, submit } = useSentForm({
    schema,
    empty: { ...EMPTY, current_password: typed ?? '' },
    send: ({ repeated: _, ...body }: Values, callbacks) => change.mutate(body, callbacks),
    onSent: onChanged,
  });
  const { errors } = form.formState;
  const fields = [
    { name: 'current_password', label: current, autoComplete: 'current-password', description: undefined },
    { name: 'new_password', label: t`New password`, autoComplete: 'new-password', description: advice() },
    { name: 'repeated', label: t`Repeat new password`, autoComplete: 'new-password', description: undefined },
  ] as const;
  const isAsked = typed === undefined || errors.current_password !== undefined;
  const shown = fields.filter(({ name }) => isAsked || name !== 'current_password');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={360}>
        <FormProblem message={errors.root?.message} />
        {shown.map(({ name, ...field }) => (
          <PasswordInput key={name} {...field} error={errors[name]?.message} {...form.register(name)} />
        ))}
        <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
          <Trans>Change password</Trans>
        </Button>
      </Stack>
    </form>
  );
}
