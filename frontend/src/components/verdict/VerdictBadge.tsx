import { plural, t } from '@lingui/core/macro';
import { type Icon, IconBan, IconCheck, IconEqual, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { Comparison } from '@/api/generated';
import { Term } from '@/components/ui/Term';
import { said } from '@/lib/language/serverText';
import classes from './VerdictBadge.module.css';

const ICONS: Partial<Record<Comparison['verdict'], Icon>> = {
  better: IconCheck,
  worse: IconX,
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
  exploratory: t`Exploratory metric: a 95 % interval of its own, and no claim. Of all that are called higher or lower, 5 % are expected not to be.`,
});

function explain(comparison: Comparison): string {
  const { verdict, ci_text, pairs, reason: why, at_least } = comparison;
  const reason = why && said(why);
  if (verdict === 'not_valid')
    return reason ? t`A validity check voids it: ${reason}.` : t`A validity check voids it.`;
  if (verdict === 'equivalent') return t`The whole interval lies within the margin (${pairs} pairs).`;
  if (verdict !== 'undecided')
    return at_least
      ? t`The whole interval lies outside the margin (${pairs} pairs).`
      : t`The interval excludes no change, and the estimate exceeds the margin (${pairs} pairs).`;
  if (reason) return ci_text ? `${reason}.` : t`There is no interval: ${reason}.`;
  return openBy(comparison);
}

/** No number from here on is one: so many blocks would not do. */
const MOST_BLOCKS = 1000;

/** How many more blocks decide it, if that is known: a version before 2 kept one number only. */
function openBy({ scale, ci_low, ci_high, more_blocks, blocks_for_none }: Comparison): string {
  const nothing = scale === 'ratio' ? 1 : 0;
  const differs = (ci_low ?? nothing) > nothing || (ci_high ?? nothing) < nothing;
  const known = (blocks?: number | null) => (blocks && blocks < MOST_BLOCKS ? blocks : null);
  const effect = known(more_blocks);
  const none = differs ? null : known(blocks_for_none);
  const sentences = [t`The interval does not decide it.`];
  if (effect)
    sentences.push(
      plural(effect, {
        one: 'About # more block does, with 80 % power, if the effect is what it looks like.',
        other: 'About # more blocks do, with 80 % power, if the effect is what it looks like.',
      }),
    );
  if (none)
    sentences.push(
      plural(none, {
        one: 'About # more block does if there is no effect.',
        other: 'About # more blocks do if there is no effect.',
      }),
    );
  return sentences.join(' ');
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
