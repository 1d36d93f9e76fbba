import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import type { Me } from '@/api/generated';
import { useHasEnded } from '@/api/session/sessionEnd';
import { meQuery } from '@/api/useMe';
import { SignInForm } from '@/features/auth/SignInForm';

const nothing = () => {};
/** Above the dialogs of the page, which keep what was typed. */
const ABOVE_DIALOGS = 400;
const CLOSED_BY_SIGNING_IN = {
  withCloseButton: false,
  closeOnEscape: false,
  closeOnClickOutside: false,
  onClose: nothing,
};

/** Over the page as it was left, once its session has ended: who signs in again goes on with it. */
export function SessionEnded({ me }: { me: Me }) {
  const hasEnded = useHasEnded();
  return (
    <Modal
      {...CLOSED_BY_SIGNING_IN}
      opened={hasEnded}
      title={t`Your session has ended`}
      zIndex={ABOVE_DIALOGS}
      overlayProps={{ blur: 6 }}
      size="sm"
    >
      <SignInAgain email={me.account.email} />
    </Modal>
  );
}

function SignInAgain({ email }: { email: string }) {
  useQuery({ ...meQuery, refetchOnWindowFocus: 'always' }); // perhaps one has signed in in another tab
  const { pathname, search, hash } = useLocation();
  const target = pathname + search + hash;
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          Sign in again to go on where you were. What you typed is still there; what was not saved, save once
          more.
        </Trans>
      </Text>
      <SignInForm target={target} email={email} onSignedIn={nothing} />
      <Anchor component={Link} to={`/login?next=${encodeURIComponent(target)}`} size="sm">
        <Trans>Sign in as somebody else</Trans>
      </Anchor>
    </Stack>
  );
}
