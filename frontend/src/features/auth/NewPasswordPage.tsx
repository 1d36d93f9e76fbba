import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { takeOneTimePassword } from '@/api/session';
import { PasswordForm } from '@/components/access/PasswordForm';
import { usePageTitle } from '@/lib/usePageTitle';
import { FirstThing } from './FirstThing';

/** After the first sign-in: a password of one's own instead of the one-time password. */
export default function NewPasswordPage() {
  usePageTitle(t`New password`);
  const [typed] = useState(takeOneTimePassword);
  return (
    <FirstThing
      title={t`Choose your password`}
      reason={(person) => t`${person} has a one-time password. Replace it with one that only you know.`}
    >
      {(onDone) => <PasswordForm current={t`One-time password`} typed={typed} onChanged={onDone} />}
    </FirstThing>
  );
}
