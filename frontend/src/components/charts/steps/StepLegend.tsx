import legend from '../legend.module.css';
import { StepShape } from './StepShape';
import type { StepResult } from './steps';

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
