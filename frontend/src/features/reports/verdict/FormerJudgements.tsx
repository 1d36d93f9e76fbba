import { plural, t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconHistory } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { FormerJudgement, Report } from '@/api/generated';
import { ResultLine } from '@/components/runs/ResultLine';
import { ServerText } from '@/components/ui/language/ServerText';
import { formatDay } from '@/lib/time';
import classes from './FormerJudgements.module.css';

/** When it was said, and by which version of the method, as far as that is known. */
function whenAndBy({ method, judged_at, until }: FormerJudgement): string {
  const last = formatDay(until);
  if (method === 0)
    return t`Judged differently before: until ${last}, by a method from before versions were counted, it said:`;
  const day = formatDay(judged_at ?? until);
  return t`Judged differently before: on ${day} by version ${method} of the method it said:`;
}

/** The answers in short, as lists have them, and `inWords` the headline, with all figures. */
function Former({ judgement, inWords }: { judgement: FormerJudgement; inWords: boolean }) {
  return (
    <li>
      <strong>{whenAndBy(judgement)}</strong>
      <ResultLine run={{ ...judgement, finished_at: judgement.until, state_reason: null }} />
      <p data-open={inWords}>
        <ServerText text={judgement.headline} />
      </p>
    </li>
  );
}

/** What earlier versions of the method said of the run, where it was something else: the latest, the others unfolded. */
export function FormerJudgements({ report: { judged_before: all = [] } }: { report: Report }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  if (all.length === 0) return null;
  const others = all.length - 1;
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div className={classes.former} role="note">
      <IconHistory size={16} stroke={1.8} aria-hidden />
      <div>
        <ul id={id} data-open={isOpen}>
          {all.map((judgement) => (
            <Former key={judgement.until} judgement={judgement} inWords={isOpen} />
          ))}
        </ul>
        <UnstyledButton
          className={`${classes.more} no-print`}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Sign size={14} aria-hidden />
          {others > 0
            ? plural(others, {
                one: 'In words, and # earlier judgement',
                other: 'In words, and # earlier judgements',
              })
            : t`In words`}
        </UnstyledButton>
      </div>
    </div>
  );
}
