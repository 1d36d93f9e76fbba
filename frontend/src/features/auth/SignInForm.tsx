import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Divider, Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { SignInMethods } from '@/api/generated';
import { useSignInMethods } from './api/useSignInMethods';
import { PasswordForm } from './PasswordForm';
import { ProviderButton } from './ProviderButton';

interface Props {
  /** Where a provider leads back to. */
  target: string;
  /** Of who signs in again: the page stays open, so that a provider opens beside it. */
  email?: string;
}

/** Where the provider is the only way, one administrator keeps a password for the day on which it is down. */
function EmergencyForm(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <PasswordForm {...props} />
  ) : (
    <Anchor component="button" type="button" size="sm" c="var(--text-dim)" onClick={() => setOpen(true)}>
      <Trans>Emergency sign-in with a password</Trans>
    </Anchor>
  );
}

function Methods({ methods: { oidc_label: label, password }, ...props }: Props & { methods: SignInMethods }) {
  if (label === null) return <PasswordForm {...props} />;
  const provider = { label, target: props.target, inNewTab: props.email !== undefined };
  return password ? (
    <>
      <PasswordForm {...props} />
      <Divider label={t`or`} />
      <ProviderButton {...provider} isPrimary={false} />
    </>
  ) : (
    <>
      <ProviderButton {...provider} isPrimary />
      <EmergencyForm {...props} />
    </>
  );
}

/** A password can be tried even where the server did not say what there is. */
const UNKNOWN: SignInMethods = { password: true, oidc_label: null };

/** The ways to sign in that there are here. */
export function SignInForm(props: Props) {
  const methods = useSignInMethods();
  return methods.isPending ? (
    <Skeleton height={190} role="progressbar" aria-busy="true" aria-label={t`Loading`} />
  ) : (
    <Methods methods={methods.data ?? UNKNOWN} {...props} />
  );
}
