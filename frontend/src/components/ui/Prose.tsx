import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** `code`, or *a word that matters* that begins after a blank. */
const MARKED = /(`[^`]*`|(?<=^|\s)\*\S[^*]*\*(?=\W|$))/;

/** Blanks at which no line ends: between a number and its unit, of those that sentences have, and around an arrow. */
const GLUE =
  / (?=→)|(?<=→) |(?<=\d) (?=(?:%|[µmn]?s|min|h|[kMG]?bit\/s|[kKMG]i?B|[MG]B\/s|req\/s)(?![\w/]))/g;
const NO_BREAK_SPACE = '\u00a0';

/** Plain text of the backend in which names stand in backticks, and words that matter between asterisks. */
export function Prose({ text }: { text: string }) {
  return text.split(MARKED).map((part, index) => {
    const inner = part.slice(1, -1);
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of a fixed text
    if (part.length > 2 && part.startsWith('`') && part.endsWith('`'))
      return <Code key={index}>{inner}</Code>;
    if (index % 2 === 1) return <em key={index}>{inner}</em>;
    return <Fragment key={index}>{part.replace(GLUE, NO_BREAK_SPACE)}</Fragment>;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the parts of a fixed text
  });
}
