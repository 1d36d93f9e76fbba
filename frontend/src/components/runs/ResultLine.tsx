import type { RunAnswer, RunSummary } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { AnswerText } from '@/components/verdict/AnswerText';
import { isOver } from '@/domain/runs';
import { english, type Said } from '@/lib/language/serverText';
import classes from './ResultLine.module.css';

type Run = Pick<RunSummary, 'answers' | 'verdict' | 'headline' | 'finished_at' | 'state_reason'>;

function Result({ answer }: { answer: RunAnswer }) {
  return (
    <li>
      <ServerText text={answer.question} /> <AnswerText answer={answer} />
    </li>
  );
}

/** The stop of a sentence, and not that of "e.g." or "no. 5": a longer text is better than one that is cut. */
const STOP = /(?<=[^\s.]{3}\.) (?=\P{Ll})/u;

/** The first sentence of a headline says what is wrong; the others are for the report. */
function firstSentence(headline: Said): Said {
  if (typeof headline === 'string') return headline.split(STOP, 1)[0] ?? headline;
  const { one } = headline.values;
  const isFirst = headline.template === '{one} {other}' && typeof one === 'object' && 'template' in one;
  return isFirst ? firstSentence(one) : headline;
}

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
        <Result key={english(answer.question)} answer={answer} />
      ))}
    </ul>
  );
}
