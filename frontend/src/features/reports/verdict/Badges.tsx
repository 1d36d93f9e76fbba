import { t } from '@lingui/core/macro';
import { Group } from '@mantine/core';
import type { Report } from '@/api/generated';
import { Term } from '@/components/ui/Term';
import { said } from '@/lib/language/serverText';
import classes from './Badge.module.css';

interface Props {
  badge: { label: string; help: string };
  /** A reader must know it before any figure. */
  strong?: boolean;
}

/** Something to know of a measurement, in a few words that explain themselves when asked. */
export function Badge({ badge: { label, help }, strong = false }: Props) {
  return (
    <Term help={said(help)} className={strong ? `${classes.badge} ${classes.strong}` : classes.badge}>
      {said(label)}
    </Term>
  );
}

/** What a reader should know of the run in a word or two, the template's labels first. */
export function Badges({ report: { analysis, badges, findings } }: { report: Report }) {
  const { blocks_complete: complete, blocks_planned: planned } = analysis;
  return (
    <Group gap={6} mt="md">
      {(findings?.labels ?? []).map((label) => (
        <Badge key={label.key} badge={label} strong />
      ))}
      {badges.map((badge) => (
        <Badge key={badge.key} badge={badge} />
      ))}
      <span className={classes.badge}>{t`${complete} of ${planned} blocks complete`}</span>
    </Group>
  );
}
