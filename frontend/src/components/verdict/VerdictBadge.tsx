import { Tooltip } from '@mantine/core';
import { IconBan, IconEqual, IconQuestionMark } from '@tabler/icons-react';
import type { Comparison } from '@/api/generated';
import classes from './VerdictBadge.module.css';

const ICONS = {
  better: null,
  worse: null,
  higher: null,
  lower: null,
  equivalent: IconEqual,
  undecided: IconQuestionMark,
  not_valid: IconBan,
};

const FAMILY = {
  primary: 'Primary metric: the interval is adjusted for all claims of this run.',
  exploratory: 'Exploratory metric: a 95 % interval of its own, and no claim.',
};

function explain({ verdict, more_blocks, pairs, reason, at_least }: Comparison): string {
  switch (verdict) {
    case 'better':
    case 'worse':
    case 'higher':
    case 'lower':
      return at_least
        ? `The whole interval lies outside the margin (${pairs} pairs).`
        : `The interval excludes no change, and the estimate exceeds the margin (${pairs} pairs).`;
    case 'not_valid':
      return `A validity check voids it: ${reason}.`;
    case 'equivalent':
      return `The whole interval lies within the margin (${pairs} pairs).`;
    default:
      if (reason) return `There is no interval: ${reason}.`;
      return more_blocks
        ? `The interval crosses the margin. About ${more_blocks} more blocks would decide it with 80 % power.`
        : 'The interval crosses the margin or is unknown.';
  }
}

/** A verdict in words and a sign, without colour: what is good is for the reader to say. */
export function VerdictBadge({ comparison }: { comparison: Comparison }) {
  const Icon = ICONS[comparison.verdict];
  return (
    <Tooltip multiline maw={360} label={`${explain(comparison)} ${FAMILY[comparison.family]}`}>
      <span className={classes.verdict} data-verdict={comparison.verdict}>
        {Icon && <Icon size={12} stroke={2.2} aria-hidden />}
        {comparison.verdict.replace('_', ' ')}
        {comparison.family === 'exploratory' && <span className={classes.family}>exploratory</span>}
      </span>
    </Tooltip>
  );
}
