import { t } from '@lingui/core/macro';
import { IconArrowsDiff, IconBan, IconCheck, IconEqual, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { Answer } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import classes from './Answers.module.css';

const SIGNS = {
  yes: IconCheck,
  no: IconX,
  equal: IconEqual,
  mixed: IconArrowsDiff,
  open: IconQuestionMark,
  not_valid: IconBan,
};

function AnswerRow({ answer: { question, sign, word, text } }: { answer: Answer }) {
  const Sign = SIGNS[sign];
  return (
    <li className={classes.answer} data-sign={sign} lang="en">
      <Sign size={18} stroke={2.2} aria-hidden />
      <span className={classes.question}>{question}</span>
      <span>
        <b>{word}</b>
        {text && ': '}
        <Prose text={text} />
      </span>
    </li>
  );
}

/** What a run answers: a row for each primary metric, the most important first. */
export function Answers({ answers }: { answers: readonly Answer[] }) {
  return (
    <ul className={classes.answers} aria-label={t`Answers`}>
      {answers.map((answer) => (
        <AnswerRow key={`${answer.stream} ${answer.metric}`} answer={answer} />
      ))}
    </ul>
  );
}
