import { t } from '@lingui/core/macro';
import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { LineLegend } from '../LineLegend';
import { type DistributionLine, distributionWords } from './distribution';

const Canvas = lazyPart(() =>
  import('./DistributionCanvas').then(({ DistributionCanvas }) => DistributionCanvas),
);
const HEIGHT = 300;

/** Which share of the responses was done within which time: time across (logarithmic), percentiles up. */
export function DistributionChart({ lines }: { lines: readonly DistributionLine[] }) {
  return (
    <figure style={{ margin: 0 }} aria-label={t`Distribution of latency by arm`}>
      <LineLegend lines={lines} />
      <p className="visually-hidden">{distributionWords(lines)}</p>
      <WhenNear height={HEIGHT}>
        <Canvas lines={lines} height={HEIGHT} />
      </WhenNear>
    </figure>
  );
}
