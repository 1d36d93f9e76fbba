import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { AcrossRuns } from '@/api/generated';
import { DistributionChart } from '@/components/charts/distribution/DistributionChart';
import { armColor, armDash } from '@/components/charts/palette';
import { Panel } from '@/components/ui/Panel';

/** The latency of all responses of each arm, laid over each other. */
export function DistributionPanel({ analysis: { arms } }: { analysis: AcrossRuns }) {
  const lines = useMemo(
    () =>
      arms.map(({ label, distribution }, index) => ({
        label,
        color: armColor(index),
        dash: armDash(index),
        points: distribution,
      })),
    [arms],
  );
  if (lines.every(({ points }) => points.length === 0)) return null;
  return (
    <Panel
      title={t`Latency of all responses`}
      note={t`Merged histograms of all trials of an arm, for drawing: claims rest on trials.`}
    >
      <DistributionChart lines={lines} />
    </Panel>
  );
}
