import legend from '../legend.module.css';
import type { StepResult } from './steps';

const R = 4.5;

interface Props {
  result: StepResult;
  color: string;
  x: number;
  y: number;
}

/** Met: a full dot. Missed: a cross. Void: an empty diamond. So they are told apart without their colour. */
export function StepShape({ result, color, x, y }: Props) {
  const at = `translate(${x} ${y})`;
  if (result === 'met') return <circle cx={x} cy={y} r={R} fill={color} data-result={result} />;
  const path =
    result === 'missed'
      ? `M${-R} ${-R}L${R} ${R}M${-R} ${R}L${R} ${-R}`
      : `M0 ${-R - 1}L${R + 1} 0L0 ${R + 1}L${-R - 1} 0Z`;
  return <path d={path} transform={at} fill="none" stroke={color} strokeWidth={2} data-result={result} />;
}

const RESULTS: readonly StepResult[] = ['met', 'missed', 'void'];

/** What each shape means. */
export function StepLegend({ results }: { results: Record<StepResult, string> }) {
  return (
    <ul className={legend.legend}>
      {RESULTS.map((result) => (
        <li key={result} className={legend.legendEntry}>
          <svg width={14} height={14} viewBox="-7 -7 14 14" aria-hidden>
            <StepShape result={result} color="var(--text-dim)" x={0} y={0} />
          </svg>
          {results[result]}
        </li>
      ))}
    </ul>
  );
}
