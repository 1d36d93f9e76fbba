import { plural, t } from '@lingui/core/macro';
import type { Answer, CheckSummary, RolledCheck, RunAnalysis, RunAnswer } from '@/api/generated';
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
  const [, low, high] = /^(\S+(?: (?:%|[KMGT]?i?B))?) to (\S+(?: (?:%|[KMGT]?i?B))?)$/.exec(text) ?? [];
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

const withCount = (answered: string, some: number | string, all: number | string) =>
  t`${answered} with ${some} of ${all} arms`;

function withNames(answered: string, labels: readonly string[]): string {
  const names = new Intl.ListFormat(currentLanguage()).format(labels);
  return t`${answered} with ${names}`;
}

/** The answer with the arms for which it holds, where the server names some of them. */
function wordOf(answered: string, { arms: given }: Answer, arms: Arms): string {
  const decided = given.filter(({ verdict }) => verdict !== null && verdict !== 'undecided');
  const kind = decided.find(({ verdict }) => verdict !== 'equivalent')?.verdict ?? 'equivalent';
  const having = given.filter(({ verdict }) => verdict === kind);
  if (having.length > NAMED) return withCount(answered, having.length, given.length);
  return withNames(
    answered,
    having.map(({ arm }) => arms.find(({ key }) => key === arm)?.label ?? arm),
  );
}

/** Question and answer, and the server's words for the arms for which it holds; none of what has no translation. */
function partsOf({ question, word }: RunAnswer) {
  const [, plainQuestion, stream] = /^(.+) \(stream (.+)\)\?$/.exec(question) ?? [];
  const [, plainWord = word, where] = /^(.+?)(?: (?:with|for) (.+))?$/.exec(word) ?? [];
  const asked = translation(plainQuestion ? `${plainQuestion}?` : question);
  const answered = translation(plainWord);
  if (!asked || !answered) return null;
  return { question: stream ? t`${asked} (stream ${stream})` : asked, answered, where };
}

/** None in English, and of what has no translation. */
export function answerWords(answer: Answer, arms: Arms): Words | null {
  const parts = partsOf(answer);
  if (!parts) return null;
  const { question, answered, where } = parts;
  return {
    question,
    word: where ? wordOf(answered, answer, arms) : answered,
    figures: figuresOf(answer, arms),
  };
}

/** The same in a list, which knows arms by the names in the server's words only. */
export function listedWords(answer: RunAnswer): Words | null {
  const parts = partsOf(answer);
  if (!parts) return null;
  const { question, answered, where } = parts;
  const [, some, all] = /^(\d+) of (\d+) arms$/.exec(where ?? '') ?? [];
  const among =
    some && all ? withCount(answered, some, all) : withNames(answered, where?.split(' and ') ?? []);
  return { question, word: where ? among : answered, figures: figure(answer.text) };
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
