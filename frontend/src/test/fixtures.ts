import type {
  AccountOut,
  ArmPreview,
  Definition,
  ExperimentDetail,
  ExperimentSummary,
  HostDetail,
  Inventory,
  Me,
  OwnPasskeys,
  PasskeyOut,
  Progress,
  RunArm,
  RunDetail,
  RunPlan,
  RunSummary,
  SessionOut,
  TokenOut,
  TrialOut,
} from '@/api/generated';
import type { HostRow } from '@/api/hosts';
import { aNginx } from './nginx';

/** Long enough ago for any clock: pages show its date. */
const THEN = '2026-01-02T03:04:05Z';

export function anAccount(changes: Partial<AccountOut> = {}): AccountOut {
  return {
    id: 'account-me',
    email: 'me@example.org',
    role: 'experimenter',
    created_at: THEN,
    disabled_at: null,
    has_password: true,
    must_change_password: false,
    ...changes,
  };
}

export function aMe(changes: Partial<AccountOut> = {}): Me {
  return { account: anAccount(changes), csrf_token: 'csrf-token' };
}

export function aSession(changes: Partial<SessionOut> = {}): SessionOut {
  return {
    id: 'session-1',
    created_at: THEN,
    last_used_at: THEN,
    expires_at: '2099-01-02T03:04:05Z',
    address: '192.0.2.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    is_current: false,
    ...changes,
  };
}

export function aPasskey(changes: Partial<PasskeyOut> = {}): PasskeyOut {
  return { id: 'passkey-1', name: 'Phone', created_at: THEN, last_used_at: null, ...changes };
}

/** What the page Account asks for; the tests' browser is at the right address. */
export function ownPasskeys(items: PasskeyOut[] = [], changes: Partial<OwnPasskeys> = {}): OwnPasskeys {
  return { items, next: null, unavailable: null, origin: window.location.origin, ...changes };
}

export function aToken(changes: Partial<TokenOut> = {}): TokenOut {
  return {
    id: 'token-1',
    name: 'CI',
    scope: 'read',
    created_at: THEN,
    expires_at: '2099-01-02T03:04:05Z',
    last_used_at: null,
    ...changes,
  };
}

/** An idle host as the list knows it. */
export function aHostRow(changes: Partial<HostRow> = {}): HostRow {
  return {
    id: 'host-1',
    name: 'alpha',
    state: 'idle',
    state_detail: 'Ready for a run.',
    heartbeat_age_s: 2,
    clock_offset_us: 400,
    clock_rtt_us: 300,
    draining: false,
    team: null,
    run_id: null,
    active_trial_id: null,
    cpu_logical: 8,
    memory_bytes: 16 * 2 ** 30,
    os: 'Debian GNU/Linux 12',
    nginx_versions: ['nginx/1.22.1'],
    nginx: [aNginx()],
    wrk_version: '4.1.0',
    agent_version: '0.1.0',
    protocol: '2.0',
    upgrade: null,
    created_at: THEN,
    ...changes,
  };
}

export function anInventory(changes: Partial<Inventory> = {}): Inventory {
  return {
    agent_version: '0.1.0',
    hostname: 'alpha',
    boot_id: 'boot-1',
    kernel: '6.1.0',
    os: 'Debian GNU/Linux 12',
    python: '3.11.2',
    cpu: { model: 'Test CPU', logical: 8, physical: 4, mhz: 2600, governor: null },
    memory_bytes: 16 * 2 ** 30,
    nics: [{ name: 'eth0', addresses: ['192.0.2.1'], speed_mbps: 1000, mtu: 1500 }],
    limits: { nofile_soft: '1024' },
    settings: { swappiness: '60' },
    nginx: [
      {
        path: '/usr/sbin/nginx',
        version: 'nginx/1.22.1',
        configure_arguments: [],
        modules: [],
        sha256: '0'.repeat(64),
      },
    ],
    wrk: { path: '/usr/bin/wrk', version: '4.1.0', sha256: '1'.repeat(64) },
    capabilities: [{ name: 'perf', available: false, detail: 'perf_event_paranoid is 3' }],
    ...changes,
  };
}

export function aHost(changes: Partial<HostDetail> = {}): HostDetail {
  return { ...aHostRow(), inventory: anInventory(), inventory_at: THEN, upgrade_command: null, ...changes };
}

const PLAN: RunPlan = {
  blocks: 2,
  trials: 4,
  warmup_s: 1,
  measure_s: 10,
  cooldown_s: 0,
  interval_ms: 1000,
  stop: { kind: 'fixed' },
};
const ARMS: RunArm[] = [
  { key: 'mutex-on', label: 'accept_mutex on', is_baseline: true },
  { key: 'reuseport', label: 'reuseport', is_baseline: false },
];

/** A completed run of an experiment, as lists know it. */
export function aRunSummary(changes: Partial<RunSummary> = {}): RunSummary {
  return {
    id: 'run-1',
    experiment_id: 'experiment-1',
    experiment_name: 'Socket sharding',
    version: 1,
    number: 1,
    state: 'completed',
    state_code: null,
    state_reason: null,
    note: null,
    created_at: THEN,
    started_at: '2026-01-02T03:04:10Z',
    finished_at: '2026-01-02T03:05:15Z',
    created_by: 'me@example.org',
    hosts: ['alpha'],
    headline: '`reuseport` served more requests.',
    answers: [{ question: 'More requests/s?', sign: 'yes', word: 'Yes', text: '+12 %' }],
    verdict: 'decided',
    outcome: null,
    starred: false,
    tags: [],
    ...changes,
  };
}

/** A trial that has not begun. Two arms in two blocks make four of them. */
export function aTrial(position: number, changes: Partial<TrialOut> = {}): TrialOut {
  return {
    id: `trial-${position + 1}`,
    position,
    block: 1 + Math.floor(position / 2),
    arm: position % 2 === 0 ? 'mutex-on' : 'reuseport',
    attempt: 1,
    state: 'pending',
    code: null,
    reason: null,
    phase_at: null,
    finished_at: null,
    requests_per_s: null,
    latency_p99_us: null,
    ...changes,
  };
}

const PROGRESS: Progress = {
  trials_done: 1,
  trials_total: 4,
  fraction: 0.4,
  current_trial_id: 'trial-2',
  block: 1,
  arm: 'reuseport',
  phase: 'measuring',
  phase_ends_at: null,
  ends_at: null,
  waiting_for: null,
  queue_place: null,
  held_by: null,
};

/** A run in its second trial. */
export function aRun(changes: Partial<RunDetail> = {}): RunDetail {
  return {
    ...aRunSummary({ state: 'running', finished_at: null, headline: null }),
    question: 'Does `reuseport` serve more requests?',
    template_key: 'reuseport',
    seed: 7,
    cancel_requested_at: null,
    finish_requested_at: null,
    most_blocks: 2,
    added_to: [],
    more_blocks: null,
    paused_at: null,
    may_change: true,
    server_time: '2026-01-02T03:04:30Z',
    live_seq: 11,
    verdict_so_far: null,
    flags: [],
    raw_bytes: null,
    arms: ARMS,
    plan: PLAN,
    run_hosts: [
      { id: 'host-2', name: 'beta', slot: 'generator', roles: ['generator'], address: '192.0.2.2' },
      { id: 'host-1', name: 'alpha', slot: 'target', roles: ['target'], address: '192.0.2.1' },
    ],
    progress: PROGRESS,
    trials: [
      aTrial(0, { state: 'completed', phase_at: THEN, finished_at: THEN, requests_per_s: 50_000 }),
      aTrial(1, { state: 'measuring', phase_at: THEN }),
      aTrial(2),
      aTrial(3),
    ],
    ...changes,
  };
}

/** Two arms, one stream, nothing special. */
export function aDefinition(changes: Partial<Definition> = {}): Definition {
  return {
    question: 'Does `reuseport` serve more requests?',
    factors: [],
    baseline: 'mutex-on',
    nginx: { workers: 4, worker_connections: 512, server: 'location / { return 200; }' },
    streams: [{ key: 'wrk', connections: 100 }],
    plan: { blocks: 2, warmup_s: 1, measure_s: 10 },
    thresholds: [],
    ...changes,
  };
}

export function someArms(): ArmPreview[] {
  return ARMS.map(({ key, label }) => ({
    key,
    label,
    levels: {},
    config: `worker_processes 4; # ${key}\n`,
  }));
}

/** A saved experiment that the reader may edit. */
export function anExperiment(changes: Partial<ExperimentDetail> = {}): ExperimentDetail {
  return {
    id: 'experiment-1',
    name: 'Socket sharding',
    template_key: 'reuseport',
    created_at: THEN,
    created_by: 'me@example.org',
    archived_at: null,
    team: null,
    may_edit: true,
    version_id: 'version-1',
    version: 1,
    definition: aDefinition(),
    arms: someArms(),
    plan: {
      blocks: 2,
      arms: 2,
      trials: 4,
      heat_trials: 0,
      block_arms: 2,
      full_trials: 4,
      full_s: 44,
      warmup_s: 1,
      measure_s: 10,
      cooldown_s: 0,
      total_s: 44,
    },
    ...changes,
  };
}

export function anExperimentSummary(changes: Partial<ExperimentSummary> = {}): ExperimentSummary {
  return {
    id: 'experiment-1',
    name: 'Socket sharding',
    template_key: 'reuseport',
    created_at: THEN,
    created_by: 'me@example.org',
    archived_at: null,
    team: null,
    ...changes,
  };
}

/** A page of a list that holds everything there is. */
export function aPage<T>(items: T[], total = items.length): { items: T[]; total: number } {
  return { items, total };
}
