import { t } from '@lingui/core/macro';

/** Why a sign-in at the provider led to none here, by the name that the backend sends the browser back with. */
const words = (): Record<string, string> => ({
  'provider-down': t`The sign-in provider cannot be reached or does not answer as it should. Try again in a moment.`,
  'provider-error': t`The sign-in provider refused this installation. An administrator has to look at its settings.`,
  refused: t`The sign-in was refused at the provider. Try again, and give your consent there.`,
  expired: t`This sign-in took too long, or was begun in another window. Try again; your browser must accept cookies.`,
  'bad-token': t`The sign-in provider’s answer does not belong to this sign-in, so it was not accepted. Try again.`,
  'no-email': t`The sign-in provider has no verified e-mail address of yours. Verify your address there, then try again.`,
  domain: t`Your e-mail address is of a domain that may not sign in here. Use your work account.`,
  'account-exists': t`An account with your e-mail address exists already. Sign in with its password, or ask an administrator to allow it to be linked.`,
  disabled: t`Your account is disabled. Ask an administrator.`,
});

/** The problem in words; null where there is none. The name comes from the address, so it is never shown itself. */
export function oidcProblemText(name: string | null): string | null {
  return name && (words()[name] ?? t`The sign-in at the provider failed. Try again.`);
}
