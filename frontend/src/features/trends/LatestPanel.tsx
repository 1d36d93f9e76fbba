import { t } from '@lingui/core/macro';
import { IconArrowsDiff, IconEqual, IconQuestionMark } from '@tabler/icons-react';
import type { LatestRun, LatestStatement } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import classes from './trends.module.css';

const SIGNS = { yes: IconArrowsDiff, no: IconEqual, open: IconQuestionMark };
const CHANGED = new Set(['better', 'worse', 'higher', 'lower']);

function Statements({ statements }: { statements: readonly LatestStatement[] }) {
  return (
    <ul className={classes.statements}>
      {statements.map(({ metric, arm, text }) => (
        <li key={`${metric} ${arm}`}>
          <ServerText text={text} />
        </li>
      ))}
    </ul>
  );
}

/** Whether the latest run differs from those before it: what differs, and behind a click all the rest. */
export function LatestPanel({ latest: { run, sign, word, statements } }: { latest: LatestRun }) {
  const Sign = SIGNS[sign];
  const changed = statements.filter(({ verdict }) => verdict && CHANGED.has(verdict));
  const rest = statements.slice(changed.length);
  const others = rest.length;
  return (
    <Panel title={t`Is run #${run} different from those before?`}>
      <p className={classes.answer} data-sign={sign}>
        <Sign size={18} stroke={2.2} aria-hidden />
        <b>
          <ServerText text={word} />
        </b>
      </p>
      <Statements statements={changed} />
      {rest.length > 0 && (
        <details className={classes.rest}>
          <summary>
            {changed.length > 0 ? t`The other ${others} in words` : t`All ${others} in words`}
          </summary>
          <Statements statements={rest} />
        </details>
      )}
    </Panel>
  );
}
