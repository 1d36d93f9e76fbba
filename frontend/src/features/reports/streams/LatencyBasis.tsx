import { Badge } from '../verdict/Badge';
import { BASES } from './bases';

/** Says at a latency figure from which instant it counts. */
export function LatencyBasis({ bases }: { bases: readonly (keyof typeof BASES | null)[] }) {
  return bases.map((basis) => (basis ? <Badge key={basis} badge={BASES[basis]} /> : null));
}
