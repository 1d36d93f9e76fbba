import { Badge } from '../verdict/Badge';
import { type Basis, explained } from './bases';

/** Says at a latency figure from which instant it counts. */
export function LatencyBasis({ bases }: { bases: readonly (Basis | null)[] }) {
  return bases.map((basis) => (basis ? <Badge key={basis} badge={explained()[basis]} /> : null));
}
