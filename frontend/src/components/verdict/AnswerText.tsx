import { t } from '@lingui/core/macro';
import type { RunAnswer } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { english } from '@/lib/language/serverText';

/** The answer in a word, and the figures that it rests on. */
export function AnswerText({ answer: { word, text } }: { answer: Pick<RunAnswer, 'word' | 'text'> }) {
  return (
    <>
      <b>
        <ServerText text={word} />
      </b>
      {english(text) && t`: `}
      <ServerText text={text} />
    </>
  );
}
