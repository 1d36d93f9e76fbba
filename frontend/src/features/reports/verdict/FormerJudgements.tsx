import { plural, t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { FormerJudgement, Report } from '@/api/generated';
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

function Former({ judgement }: { judgement: FormerJudgement }) {
  return (
    <li>
      <strong>{whenAndBy(judgement)}</strong> <ServerText text={judgement.headline} />
    </li>
  );
}

/** What earlier versions of the method said of the run, where it was something else: the latest, the others unfolded. */
export function FormerJudgements({ report: { judged_before: all = [] } }: { report: Report }) {
  const [isOpen, setOpen] = useState(false);
  if (all.length === 0) return null;
  const others = all.length - 1;
  return (
    <div className={classes.former} role="note">
      <IconHistory size={16} stroke={1.8} aria-hidden />
      <div>
        <ul data-open={isOpen}>
          {all.map((judgement) => (
            <Former key={judgement.until} judgement={judgement} />
          ))}
        </ul>
        {others > 0 && !isOpen && (
          <UnstyledButton className={`${classes.more} no-print`} onClick={() => setOpen(true)}>
            {plural(others, { one: 'And # time before', other: 'And # times before' })}
          </UnstyledButton>
        )}
      </div>
    </div>
  );
}
