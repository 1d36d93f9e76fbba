import { t } from '@lingui/core/macro';
import { Anchor, Group } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { IN_A_FILE, ShareToken, useShareToken } from '@/api/shareToken';
import { Logo } from '@/components/Logo';
import { PageFooter } from '@/components/PageFooter';
import { ReleaseNotice } from '@/components/ReleaseNotice';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import { QueryView } from '@/components/ui/QueryView';
import { formatDateTime } from '@/lib/time';
import classes from './ReadOnlyFrame.module.css';

/** Says when a shared page was kept. `at`: `null` while the page follows a run that goes on, `undefined` in a file. */
export function AsOf({ at }: { at: string | null | undefined }) {
  if (at === undefined) return null;
  if (at === null) return <strong>{t`The run goes on: this page follows it`}</strong>;
  const time = formatDateTime(at);
  return <strong>{t`As of ${time}`}</strong>;
}

/** Around a page for readers without an account. */
export function ReadOnlyFrame({ children }: { children: ReactNode }) {
  const isFile = useShareToken() === IN_A_FILE;
  return (
    <main className={classes.shared}>
      <div className={classes.sharedTop}>
        <div>
          <Logo />
          <span className={classes.about}>
            {t`NGINX performance experiments with live charts and sound statistics.`}{' '}
            {!isFile && (
              <Anchor component={Link} to="/sample" inherit underline="always" className="no-print">
                {t`A sample report`}
              </Anchor>
            )}
          </span>
        </div>
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

interface SharedProps<T> {
  query: UseQueryResult<T>;
  /** Heights of the blocks that stand there meanwhile. */
  skeleton: readonly number[];
  children: (data: T) => ReactNode;
}

/** A page for anyone with the link: nothing around it, nothing to change. Who has an account may go on to it. */
export function SharedPage<T>({ query, skeleton, children }: SharedProps<T>) {
  const { token = '' } = useParams();
  return (
    <ShareToken value={token}>
      <ReadOnlyFrame>
        <QueryView query={query} skeleton={skeleton} wayOut={{ label: t`Go to ngxlab`, to: '/' }}>
          {children}
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}
