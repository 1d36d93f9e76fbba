import { Tooltip } from '@mantine/core';
import { IconEqual, IconQuestionMark } from '@tabler/icons-react';
import type { Comparison } from '@/api/generated';
import classes from './VerdictBadge.module.css';

const ICONS = {
  better: null,
  worse: null,
  higher: null,
  lower: null,
  equivalent: IconEqual,
  inconclusive: IconQuestionMark,
};

function explain({ verdict, more_blocks, pairs }: Comparison): string {
  switch (verdict) {
    case 'better':
    case 'worse':
    case 'higher':
    case 'lower':
      return `The whole interval lies outside the margin (${pairs} pairs).`;
    case 'equivalent':
      return `The whole interval lies within the margin (${pairs} pairs).`;
    default:
      return more_blocks
        ? `The interval crosses the margin. About ${more_blocks} more blocks would resolve it.`
        : 'The interval crosses the margin or is unknown.';
  }
}

/** A verdict in words and a sign, without colour: what is good is for the reader to say. */
export function VerdictBadge({ comparison }: { comparison: Comparison }) {
  const Icon = ICONS[comparison.verdict];
  return (
    <Tooltip label={explain(comparison)}>
      <span className={classes.verdict} data-verdict={comparison.verdict}>
        {Icon && <Icon size={12} stroke={2.2} aria-hidden />}
        {comparison.verdict}
      </span>
    </Tooltip>
  );
}
