import { t } from '@lingui/core/macro';
import { IconArrowsDiff, IconBan, IconCheck, IconEqual, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { Answer, RunAnalysis } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import classes from './Answers.module.css';
import { type Arms, answerWords } from './ownWords';

const SIGNS = {
  yes: IconCheck,
  no: IconX,
  equal: IconEqual,
  mixed: IconArrowsDiff,
  open: IconQuestionMark,
  not_valid: IconBan,
};

function AnswerRow({ answer, arms }: { answer: Answer; arms: Arms }) {
  const Sign = SIGNS[answer.sign];
  const own = answerWords(answer, arms);
  const { question, word, figures } = own ?? { ...answer, figures: answer.text };
  return (
    <li className={classes.answer} data-sign={answer.sign} lang={own ? undefined : 'en'}>
      <Sign size={18} stroke={2.2} aria-hidden />
      <span className={classes.question}>{question}</span>
      <span>
        <b>{word}</b>
        {figures && (own ? t`: ` : ': ')}
        <Prose text={figures} />
      </span>
    </li>
  );
}

/** What a run answers: a row for each primary metric, the most important first. */
export function Answers({ analysis }: { analysis: Pick<RunAnalysis, 'answers' | 'arms'> }) {
  const { answers = [], arms } = analysis;
  return (
    <ul className={classes.answers} aria-label={t`Answers`}>
      {answers.map((answer) => (
        <AnswerRow key={`${answer.stream} ${answer.metric}`} answer={answer} arms={arms} />
      ))}
    </ul>
  );
}
