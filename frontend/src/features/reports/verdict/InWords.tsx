import { Trans } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Report } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import classes from './InWords.module.css';

function Lines({ report: { analysis, findings } }: { report: Report }) {
  const conclusion = findings?.conclusion ?? [];
  return (
    <>
      {analysis.statements.map(({ arm, stream, metric, text }) => (
        <p key={`${arm} ${stream} ${metric}`}>
          <ServerText text={text} />
        </p>
      ))}
      {analysis.more_or_longer?.map((advice) => (
        <p key={advice}>
          <ServerText text={advice} />
        </p>
      ))}
      {analysis.margin_note && (
        <p>
          <ServerText text={analysis.margin_note} />
        </p>
      )}
      {conclusion.length > 0 && (
        <ul>
          {conclusion.map((sentence) => (
            <li key={sentence}>
              <ServerText text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The same as sentences, with all figures, and the template's own reading. Paper shows them always. */
export function InWords({ report, always }: { report: Report; always: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div className={classes.inWords}>
      {!always && (
        <UnstyledButton
          className={`${classes.toggle} no-print`}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Sign size={14} aria-hidden />
          <Trans>In words</Trans>
        </UnstyledButton>
      )}
      <div id={id} className={classes.lines} data-open={isOpen || always}>
        <Lines report={report} />
      </div>
    </div>
  );
}
