import { Trans } from '@lingui/react/macro';
import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import type { Me } from '@/api/generated';
import { meQuery, useHasEnded } from '@/api/session';
import { SignInForm } from '@/features/auth/SignInForm';

const nothing = () => {};
/** Above the dialogs of the page, which keep what was typed. */
const ABOVE_DIALOGS = 400;
const CLOSED_BY_SIGNING_IN = { closeOnEscape: false, closeOnClickOutside: false, onClose: nothing };

/** Escape would close the dialogs below. They listen on the window, too: this has to be drawn before them. */
function useNoEscape(isOn: boolean): void {
  const latest = useRef(isOn);
  useEffect(() => {
    latest.current = isOn;
  });
  useEffect(() => {
    const swallow = (event: KeyboardEvent) => {
      if (latest.current && event.key === 'Escape') event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', swallow, { capture: true });
    return () => window.removeEventListener('keydown', swallow, { capture: true });
  }, []);
}

/** Over the page as it was left, once its session has ended: who signs in again goes on with it. */
export function SessionEnded({ me }: { me: Me }) {
  const hasEnded = useHasEnded();
  useNoEscape(hasEnded);
  return (
    <Modal.Root {...CLOSED_BY_SIGNING_IN} opened={hasEnded} zIndex={ABOVE_DIALOGS} size="sm">
      <Modal.Overlay blur={6} />
      <Modal.Content>
        <Modal.Body pt="md">
          <SignInAgain email={me.account.email} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function SignInAgain({ email }: { email: string }) {
  useQuery({ ...meQuery, refetchOnWindowFocus: 'always' }); // perhaps one has signed in in another tab
  const { pathname, search, hash } = useLocation();
  const target = pathname + search + hash;
  return (
    <Stack gap="md">
      <Modal.Title>
        <Trans>Your session has ended</Trans>
      </Modal.Title>
      <Text size="sm">
        <Trans>
          Sign in again to go on where you were. What you typed is still there; what was not saved, save once
          more.
        </Trans>
      </Text>
      <SignInForm target={target} email={email} />
      <Anchor component={Link} to={`/login?next=${encodeURIComponent(target)}`} size="sm">
        <Trans>Sign in as somebody else</Trans>
      </Anchor>
    </Stack>
  );
}
