import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { listPasskeysOptions } from '@/api/generated';
import { useMe } from '@/api/session';
import { AddPasskeyForm } from '@/components/access/AddPasskeyForm';
import { WherePossible } from '@/components/access/PasskeyObstacle';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { FirstThing } from './FirstThing';

/** Where the installation demands a passkey: for whoever has none yet. */
export default function NewPasskeyPage() {
  usePageTitle(t`New passkey`);
  const { data: me } = useMe();
  const query = useQuery({ ...listPasskeysOptions(), enabled: Boolean(me) });
  return (
    <FirstThing
      title={t`Add a passkey`}
      reason={(person) =>
        t`${person} needs a passkey here: a key in your phone, computer or security key, which you use after your password.`
      }
    >
      {(onDone) => (
        <QueryView query={query} skeleton={[160]}>
          {(passkeys) => (
            <WherePossible passkeys={passkeys}>
              <AddPasskeyForm needsPassword={passkeys.items.length === 0} onAdded={onDone} />
            </WherePossible>
          )}
        </QueryView>
      )}
    </FirstThing>
  );
}
