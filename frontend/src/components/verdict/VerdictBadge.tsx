import { t } from '@lingui/core/macro';
import { type Icon, IconBan, IconEqual, IconQuestionMark } from '@tabler/icons-react';
import type { Comparison } from '@/api/generated';
import { Term } from '@/components/ui/Term';
import { said } from '@/lib/language/serverText';
import classes from './VerdictBadge.module.css';

const ICONS: Partial<Record<Comparison['verdict'], Icon>> = {
  equivalent: IconEqual,
  undecided: IconQuestionMark,
  not_valid: IconBan,
};

const words = (): Record<Comparison['verdict'], string> => ({
  better: t`better`,
  worse: t`worse`,
  higher: t`higher`,
  lower: t`lower`,
  equivalent: t`equivalent`,
  undecided: t`undecided`,
  not_valid: t`not valid`,
});

const families = () => ({
  primary: t`Primary metric: the interval is adjusted for all claims of this run.`,
  exploratory: t`Exploratory metric: a 95 % interval of its own, and no claim.`,
});

function explain({ verdict, more_blocks: more, pairs, reason: why, at_least }: Comparison): string {
  const reason = why && said(why);
  if (verdict === 'not_valid')
    return reason ? t`A validity check voids it: ${reason}.` : t`A validity check voids it.`;
  if (verdict === 'equivalent') return t`The whole interval lies within the margin (${pairs} pairs).`;
  if (verdict !== 'undecided')
    return at_least
      ? t`The whole interval lies outside the margin (${pairs} pairs).`
      : t`The interval excludes no change, and the estimate exceeds the margin (${pairs} pairs).`;
  if (reason) return t`There is no interval: ${reason}.`;
  return more
    ? t`The interval crosses the margin. About ${more} more blocks would decide it with 80 % power.`
    : t`The interval crosses the margin or is unknown.`;
}

/** A verdict in words and a sign, without colour: what is good is for the reader to say. */
export function VerdictBadge({ comparison }: { comparison: Comparison }) {
  const Sign = ICONS[comparison.verdict];
  return (
    <Term help={`${explain(comparison)} ${families()[comparison.family]}`} className={classes.explained}>
      <span className={classes.verdict} data-verdict={comparison.verdict}>
        {Sign && <Sign size={12} stroke={2.2} aria-hidden />}
        {words()[comparison.verdict]}
        {comparison.family === 'exploratory' && <span className={classes.family}>{t`exploratory`}</span>}
      </span>
    </Term>
  );
}
