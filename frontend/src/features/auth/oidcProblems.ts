/** Why a sign-in at the provider led to none here, by the name that the backend sends the browser back with. */
const WORDS: Record<string, string> = {
  'provider-down':
    'The sign-in provider cannot be reached or does not answer as it should. Try again in a moment.',
  'provider-error':
    'The sign-in provider refused this installation. An administrator has to look at its settings.',
  refused: 'The sign-in was refused at the provider. Try again, and give your consent there.',
  expired:
    'This sign-in took too long, or was begun in another window. Try again; your browser must accept cookies.',
  'bad-token':
    'The sign-in provider’s answer does not belong to this sign-in, so it was not accepted. Try again.',
  'no-email':
    'The sign-in provider has no verified e-mail address of yours. Verify your address there, then try again.',
  domain: 'Your e-mail address is of a domain that may not sign in here. Use your work account.',
  'account-exists':
    'An account with your e-mail address exists already. Sign in with its password, or ask an administrator to allow it to be linked.',
  disabled: 'Your account is disabled. Ask an administrator.',
};

/** The problem in words; null where there is none. The name comes from the address, so it is never shown itself. */
export function oidcProblemText(name: string | null): string | null {
  return name && (WORDS[name] ?? 'The sign-in at the provider failed. Try again.');
}
