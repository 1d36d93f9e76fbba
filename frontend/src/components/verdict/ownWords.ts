import { plural, t } from '@lingui/core/macro';
import type { Answer, CheckSummary, RolledCheck, RunAnalysis } from '@/api/generated';
import { range } from '@/lib/format';
import { currentLanguage } from '@/lib/language/language';
import { said, translation } from '@/lib/language/serverText';

// The server words what a run says, in English. What a reader of another language sees first is made here, of the same data.

export type Arms = RunAnalysis['arms'];

interface Words {
  question: string;
  word: string;
  figures: string;
}

/** Arms named in a row, as in the server's words. */
const SHOWN = 3;

/** A change with its unit, an interval of two, or why there is none. */
export function figure(text: string): string {
  const [, alone] = /^(.+) \(no interval\)$/.exec(text) ?? [];
  if (alone) return t`${alone} (no interval)`;
  const [, low, high] = /^(\S+(?: %)?) to (\S+(?: %)?)$/.exec(text) ?? [];
  return low && high ? range(low, high) : said(text);
}

function figuresOf({ arms: given }: Answer, arms: Arms): string {
  if (given.length === 1) return given.map(({ text }) => figure(text)).join();
  const isOpen = ({ verdict }: Answer['arms'][number]) => verdict === null || verdict === 'undecided';
  const shown = [...given.filter((one) => !isOpen(one)), ...given.filter(isOpen)]
    .slice(0, SHOWN)
    .filter(({ verdict }) => verdict !== null)
    .map(({ arm, text }) => `\`${arms.find(({ key }) => key === arm)?.label ?? arm}\` ${figure(text)}`);
  const rest = given.length - shown.length;
  const more = shown.length > 0 && rest > 0 ? [plural(rest, { other: 'and # more' })] : [];
  return [...shown, ...more].join(t({ message: ', ', context: 'between arms' }));
}

/** Arms named in an answer itself, as in the server's words. */
const NAMED = 2;

/** The answer with the arms for which it holds, where the server names some of them. */
function wordOf(answered: string, { arms: given }: Answer, arms: Arms): string {
  const decided = given.filter(({ verdict }) => verdict !== null && verdict !== 'undecided');
  const kind = decided.find(({ verdict }) => verdict !== 'equivalent')?.verdict ?? 'equivalent';
  const having = given.filter(({ verdict }) => verdict === kind);
  const [some, all] = [having.length, given.length];
  if (some > NAMED) return t`${answered} with ${some} of ${all} arms`;
  const labels = having.map(({ arm }) => arms.find(({ key }) => key === arm)?.label ?? arm);
  const names = new Intl.ListFormat(currentLanguage()).format(labels);
  return t`${answered} with ${names}`;
}

/** None in English, and of what has no translation. */
export function answerWords(answer: Answer, arms: Arms): Words | null {
  const { question, stream, word } = answer;
  const asked = translation(stream ? question.replace(` (stream ${stream})?`, '?') : question);
  const [, plain = word, where] = /^(.+?)(?: (?:with|for) (.+))?$/.exec(word) ?? [];
  const answered = translation(plain);
  if (!asked || !answered) return null;
  return {
    question: stream ? t`${asked} (stream ${stream})` : asked,
    word: where ? wordOf(answered, answer, arms) : answered,
    figures: figuresOf(answer, arms),
  };
}

const isEnglish = () => currentLanguage() === 'en';

const titled = (checks: readonly RolledCheck[]) =>
  checks.map(({ title }) => said(title)).join(t({ message: ', ', context: 'between names' }));

/** How many checks passed, and which did not. */
export function validityWords({ text, passed, made, results }: CheckSummary): string {
  if (isEnglish()) return text;
  if (made === 0) return t`no check could be made`;
  const errors = titled(results.filter(({ severity }) => severity === 'error'));
  const warnings = titled(results.filter(({ severity }) => severity === 'warning'));
  const parts = [
    t`${passed} of ${made} checks passed`,
    errors && t`errors: ${errors}`,
    warnings && t`warnings: ${warnings}`,
  ];
  return parts.filter(Boolean).join(t({ message: '; ', context: 'between clauses' }));
}

/** What qualifies the answers: how much was measured, when they may be read, and whether it can be trusted. */
export function trustWords(analysis: RunAnalysis): string {
  const {
    qualification,
    chosen_window,
    preview,
    partial,
    procedure,
    arms,
    blocks_complete: complete,
    checks,
  } = analysis;
  if (isEnglish()) return qualification;
  const usable = arms.reduce((sum, arm) => sum + arm.usable_trials, 0);
  const validity = validityWords(checks);
  const clauses = [
    chosen_window && t`The window was chosen after the run.`,
    preview &&
      plural(complete, { one: 'Preview only: # complete block.', other: 'Preview only: # complete blocks.' }),
    partial && plural(usable, { one: 'Partial: # usable trial.', other: 'Partial: # usable trials.' }),
    procedure === 'any_look' &&
      t`Judged so that it may be read at any time: its intervals hold at every look.`,
    t`Validity: ${validity}.`,
  ];
  return clauses.filter(Boolean).join('');
}

/** Which errors void claims; none where none does. */
export function notValidWords({ not_valid, checks }: RunAnalysis): string | null {
  if (isEnglish() || !not_valid) return not_valid ?? null;
  const errors = titled(checks.results.filter(({ severity }) => severity === 'error'));
  return t`Not valid: ${errors}.`;
}
