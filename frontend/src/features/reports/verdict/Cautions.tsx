import { Alert } from '@mantine/core';
import type { Report } from '@/api/generated';

/** Why the statements may not hold: the run goes on, did not end well, or failed a check of validity. */
export function Cautions({ report: { run, analysis, unreadable } }: { report: Report }) {
  const isUnfinished = run.state === 'running' || run.state === 'queued';
  return (
    <>
      {isUnfinished && (
        <Alert variant="light" color="gray" mb="md">
          The run is {run.state}; this is what its trials show so far.
        </Alert>
      )}
      {run.state_reason && !isUnfinished && run.state !== 'completed' && (
        <Alert
          variant="light"
          color="red"
          mb="md"
          title={run.state === 'failed' ? 'The run failed' : `The run was ${run.state}`}
        >
          {run.state_reason}
        </Alert>
      )}
      {unreadable.length > 0 && (
        <Alert variant="light" color="red" mb="md" title="Some stored data cannot be read">
          {unreadable.map((reason) => (
            <div key={reason}>{reason}. It is left out.</div>
          ))}
        </Alert>
      )}
      {analysis.chosen_window && (
        <Alert variant="light" color="yellow" mb="md" title="The window was chosen after the run">
          {analysis.chosen_window} Whoever chooses a window with the results known can choose a result: claims
          do not have the certainty of those on the planned window.
        </Alert>
      )}
      {!analysis.trustworthy && (
        <Alert variant="light" color="red" mb="md" title="Not valid">
          A validity check found an error. The claims that it voids are marked; see the checks below.
        </Alert>
      )}
    </>
  );
}
