import type { RunDetail } from '@/api/generated';
import type { LivePoint } from '@/domain/series';

export interface PointsEvent {
  trial_id: string;
  points: LivePoint[];
  /** When the newest reading was taken, by the server's clock; not said of what is repeated. */
  read_at_us?: number;
}

/** What has arrived since the page was drawn last. */
export interface News {
  /** The run as it is now. */
  run?: Partial<RunDetail>;
  /** By trial, in the order of arrival. */
  points: ReadonlyMap<string, LivePoint[]>;
  /** When the newest reading was taken, if any came as it was measured. */
  readAtUs?: number;
}

/** A page redraws at most this often, however fast news arrive. */
export const FLUSH_INTERVAL_MS = 250;
/** What several hosts send of one instant arrives within this time, and is drawn at once. */
export const GATHERING_MS = 40;

/**
 * Collects what a stream brings outside React and hands it over soon, but at most four times a second: a trial begins
 * with a dozen events. No point is dropped: what arrives while a page is hidden goes out with the next flush.
 */
export class LiveBuffer {
  private run: Partial<RunDetail> | undefined;
  private points = new Map<string, LivePoint[]>();
  private readAtUs: number | undefined;
  private flushedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly deliver: (news: News) => void) {}

  pushPoints({ trial_id, points, read_at_us }: PointsEvent): void {
    const queue = this.points.get(trial_id);
    if (queue) queue.push(...points);
    else this.points.set(trial_id, [...points]);
    this.readAtUs = read_at_us ?? this.readAtUs;
    this.flushSoon();
  }

  /** Each tells the whole run, so that the last one says it all. */
  pushRun(run: Partial<RunDetail>): void {
    this.run = run;
    this.flushSoon();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushedAt = Date.now();
    const { run, points, readAtUs } = this;
    this.run = undefined;
    this.points = new Map();
    this.readAtUs = undefined;
    if (run || points.size > 0) this.deliver({ run, points, readAtUs });
  }

  private flushSoon(): void {
    const pause = Math.max(GATHERING_MS, this.flushedAt + FLUSH_INTERVAL_MS - Date.now());
    this.timer ??= setTimeout(() => this.flush(), pause);
  }
}
