import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';

interface Props {
  label: string;
  /** The page to return to. */
  target: string;
  /** Whether it is the usual way to sign in, and not one of two. */
  isPrimary: boolean;
  /** The page from which one leaves stays open. */
  inNewTab?: boolean;
}

/** Leads to the provider, and from there back to the page that was asked for. */
export function ProviderButton({ label, target, isPrimary, inNewTab = false }: Props) {
  return (
    <Button
      component="a"
      href={`/api/v1/auth/oidc/start?next=${encodeURIComponent(target)}`}
      target={inNewTab ? '_blank' : undefined}
      variant={isPrimary ? 'filled' : 'default'}
      size="sm"
      leftSection={<IconLogin2 size={16} aria-hidden />}
    >
      {inNewTab ? <Trans>Sign in with {label} in a new tab</Trans> : <Trans>Sign in with {label}</Trans>}
    </Button>
  );
}
