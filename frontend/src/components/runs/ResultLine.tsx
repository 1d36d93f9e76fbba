import type { RunSummary } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import { isOver } from '@/domain/runs';
import classes from './ResultLine.module.css';

type Run = Pick<RunSummary, 'answers' | 'verdict' | 'headline' | 'finished_at' | 'state_reason'>;

/** What a run showed: the answer to each of its questions; in whole sentences where none may be believed. */
export function ResultLine({ run }: { run: Run }) {
  const { answers = [], verdict, headline, state_reason: reason } = run;
  if (answers.length === 0 || verdict === 'not_valid')
    return (
      <span className={classes.result} lang="en">
        <Prose text={headline ?? (isOver(run) ? reason : null) ?? '–'} />
      </span>
    );
  return (
    <ul className={classes.result} lang="en">
      {answers.map(({ question, word, text }) => (
        <li key={question}>
          {question} <b>{word}</b>
          {text && ': '}
          <Prose text={text} />
        </li>
      ))}
    </ul>
  );
}
