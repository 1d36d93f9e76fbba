import type { LivePoint } from '@/domain/series';

export interface PointsEvent {
  trial_id: string;
  points: LivePoint[];
  /** When the newest reading was taken, by the server's clock; not said of what is repeated. */
  read_at_us?: number;
}

/** A page redraws at most this often, however fast points arrive. */
export const FLUSH_INTERVAL_MS = 250;
/** What several hosts send of one instant arrives within this time, and is drawn at once. */
export const GATHERING_MS = 40;

/**
 * Collects live points outside React and hands them over soon, but at most four times a second, in the order of
 * arrival. Nothing is dropped: what arrives while a page is hidden goes out with the next flush.
 */
export class PointBuffer {
  private waiting = new Map<string, LivePoint[]>();
  private newestUs: number | undefined;
  private flushedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly deliver: (trialId: string, points: LivePoint[]) => void,
    /** Called after points that came as they were measured, with the time of the newest reading. */
    private readonly delivered: (readAtUs: number) => void = () => {},
  ) {}

  push({ trial_id, points, read_at_us }: PointsEvent): void {
    const queue = this.waiting.get(trial_id);
    if (queue) queue.push(...points);
    else this.waiting.set(trial_id, [...points]);
    this.newestUs = read_at_us ?? this.newestUs;
    const pause = Math.max(GATHERING_MS, this.flushedAt + FLUSH_INTERVAL_MS - Date.now());
    this.timer ??= setTimeout(() => this.flush(), pause);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushedAt = Date.now();
    const [batches, newestUs] = [this.waiting, this.newestUs];
    this.waiting = new Map();
    this.newestUs = undefined;
    for (const [trialId, points] of batches) this.deliver(trialId, points);
    if (newestUs !== undefined) this.delivered(newestUs);
  }

  close(): void {
    this.flush();
  }
}
