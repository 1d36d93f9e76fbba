import type { LivePoint } from '@/domain/series';

export interface PointsEvent {
  trial_id: string;
  points: LivePoint[];
}

/** A page redraws at most this often, however fast points arrive. */
export const FLUSH_INTERVAL_MS = 250;

/**
 * Collects live points outside React and hands them over at most four times a second, in the order of arrival.
 * Nothing is dropped: what arrives while a page is hidden goes out with the next flush.
 */
export class PointBuffer {
  private waiting = new Map<string, LivePoint[]>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly deliver: (trialId: string, points: LivePoint[]) => void) {}

  push({ trial_id, points }: PointsEvent): void {
    const queue = this.waiting.get(trial_id);
    if (queue) queue.push(...points);
    else this.waiting.set(trial_id, [...points]);
    this.timer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL_MS);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batches = this.waiting;
    this.waiting = new Map();
    for (const [trialId, points] of batches) this.deliver(trialId, points);
  }

  close(): void {
    this.flush();
  }
}
