import { t } from '@lingui/core/macro';
import { IconArrowsDiff, IconBan, IconCheck, IconEqual, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { Answer, RunAnalysis } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import classes from './Answers.module.css';
import { AnswerText } from './AnswerText';

const SIGNS = {
  yes: IconCheck,
  no: IconX,
  equal: IconEqual,
  mixed: IconArrowsDiff,
  open: IconQuestionMark,
  not_valid: IconBan,
};

function AnswerRow({ answer }: { answer: Answer }) {
  const Sign = SIGNS[answer.sign];
  return (
    <li className={classes.answer} data-sign={answer.sign}>
      <Sign size={18} stroke={2.2} aria-hidden />
      <span className={classes.question}>
        <ServerText text={answer.question} />
      </span>
      <span>
        <AnswerText answer={answer} />
      </span>
    </li>
  );
}

/** The run's answers: a row for each primary metric, the most important first. */
export function Answers({ analysis }: { analysis: Pick<RunAnalysis, 'answers'> }) {
  const { answers = [] } = analysis;
  return (
    <ul className={classes.answers} aria-label={t`Answers`}>
      {answers.map((answer) => (
        <AnswerRow key={`${answer.stream} ${answer.metric}`} answer={answer} />
      ))}
    </ul>
  );
}
