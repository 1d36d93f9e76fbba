import { t } from '@lingui/core/macro';
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '@/components/brand/Logo';
import { ReleaseNotice } from '@/components/release/ReleaseNotice';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import type { WayOut } from '@/components/ui/PageProblem';
import classes from './ReadOnlyFrame.module.css';

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
    </main>
  );
}
