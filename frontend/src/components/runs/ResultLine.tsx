import { t } from '@lingui/core/macro';
import type { RunAnswer, RunSummary } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Prose } from '@/components/ui/Prose';
import { listedWords } from '@/components/verdict/ownWords';
import { isOver } from '@/domain/runs';
import classes from './ResultLine.module.css';

type Run = Pick<RunSummary, 'answers' | 'verdict' | 'headline' | 'finished_at' | 'state_reason'>;

function Result({ answer }: { answer: RunAnswer }) {
  const own = listedWords(answer);
  const { question, word, figures } = own ?? { ...answer, figures: answer.text };
  return (
    <li lang={own ? undefined : 'en'}>
      {question} <b>{word}</b>
      {figures && (own ? t`: ` : ': ')}
      <Prose text={figures} />
    </li>
  );
}

/** Of a headline: the first says what is wrong, the others are for the report. */
const firstSentence = (text: string) => text.split(/(?<=\.) /, 1)[0] ?? text;

/** What a run showed: the answer to each of its questions, or why none may be believed. */
export function ResultLine({ run }: { run: Run }) {
  const { answers = [], verdict, headline, state_reason: reason } = run;
  if (answers.length === 0 || verdict === 'not_valid')
    return (
      <span className={classes.result}>
        <ServerText text={headline ? firstSentence(headline) : ((isOver(run) ? reason : null) ?? '–')} />
      </span>
    );
  return (
    <ul className={classes.result}>
      {answers.map((answer) => (
        <Result key={answer.question} answer={answer} />
      ))}
    </ul>
  );
}
