import { t } from '@lingui/core/macro';
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '@/components/Logo';
import { PageFooter } from '@/components/PageFooter';
import { ReleaseNotice } from '@/components/ReleaseNotice';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import type { WayOut } from '@/components/ui/PageProblem';
import { formatDateTime } from '@/lib/time';
import classes from './ReadOnlyFrame.module.css';

/** Says when a shared page was kept. `at`: `null` while the page follows a run that goes on, `undefined` in a file. */
export function AsOf({ at }: { at: string | null | undefined }) {
  if (at === undefined) return null;
  if (at === null) return <strong>{t`The run goes on: this page follows it`}</strong>;
  const time = formatDateTime(at);
  return <strong>{t`As of ${time}`}</strong>;
}

/** For a reader whose link shows nothing any more, and who may have an account. */
export const start = (): WayOut => ({ label: t`Go to ngxlab`, to: '/' });

/** Around a page for readers without an account. */
export function ReadOnlyFrame({ children }: { children: ReactNode }) {
  return (
    <main className={classes.shared}>
      <div className={classes.sharedTop}>
        <Logo />
        <Group gap="md" className="no-print">
          <OtherLanguages />
          <ColorSchemeControl />
        </Group>
      </div>
      <ReleaseNotice />
      {children}
      <PageFooter />
    </main>
  );
}
