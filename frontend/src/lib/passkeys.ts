import { t } from '@lingui/core/macro';

/** Whether this browser, on this page, has passkeys: old ones have none, and without https none has. */
export function hasPasskeys(): boolean {
  return typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function';
}

/** What a browser says by itself is a name, and English. */
function problemOf(error: unknown): Error {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'InvalidStateError') return new Error(t`This device has a passkey of yours already.`);
  if (name === 'SecurityError')
    return new Error(t`Passkeys work only at the address that ngxlab was set up with.`);
  return new Error(t`No passkey was used. Try again.`, { cause: error });
}

/** What the device answers, after its person has agreed. Rejects where they do not, or it cannot. */
async function answered<T>(ask: () => Promise<Credential | null>): Promise<T> {
  if (!hasPasskeys()) throw new Error(t`This browser has no passkeys.`);
  try {
    return ((await ask()) as PublicKeyCredential).toJSON() as T;
  } catch (error) {
    throw problemOf(error);
  }
}

/** The signature of one of the passkeys that `options` of the server name. */
export async function answerTo(options: unknown) {
  const { id, response } = await answered<AuthenticationResponseJSON>(() => {
    const asked = options as PublicKeyCredentialRequestOptionsJSON;
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked) });
  });
  return {
    credential_id: id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
  };
}

/** A new passkey, as `options` of the server want it. */
export async function makePasskey(options: unknown) {
  const { response } = await answered<RegistrationResponseJSON>(() => {
    const asked = options as PublicKeyCredentialCreationOptionsJSON;
    return navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked),
    });
  });
  return { client_data: response.clientDataJSON, attestation_object: response.attestationObject };
}
