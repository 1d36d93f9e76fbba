import { plural, t } from '@lingui/core/macro';
import {
  Button,
  FileButton,
  Group,
  Modal,
  Progress,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { FormProblem } from '@/components/ui/FormProblem';
import { gapsOf, MOST_ARRIVALS } from '@/domain/mix/arrivals';
import { type Mix, type Model, mixOf, rateOf } from '@/domain/mix/model';
import type { Popularity } from '@/domain/mix/popularity';
import { readLog } from '@/domain/mix/readLog';
import { formatNumber } from '@/lib/format';
import { useStore } from '../../designerContext';
import { Note } from '../../fields/Section';
import { withLog } from '../../model/draft/logDraft';
import classes from './AccessLogDialog.module.css';

const MOST = 1000;
const USUAL = 200;

interface State {
  model: Model | null;
  /** From 0 to 1, while a file is read. */
  share: number | null;
  problem: string | null;
}
const NOTHING: State = { model: null, share: null, problem: null };

function problemOf(model: Model | null): string | null {
  if (!model) return t`The format does not say what was asked: it needs $request or $request_uri.`;
  if (model.requests > 0) return null;
  return t`No line is of that format: give the log_format of the server that wrote the log.`;
}

/** A log that is read here. Another file, or closing, ends the reading. */
function useLog() {
  const [state, setState] = useState(NOTHING);
  const reading = useRef<AbortController | null>(null);
  async function read(file: File, format: string) {
    reading.current?.abort();
    const control = new AbortController();
    reading.current = control;
    setState({ ...NOTHING, share: 0 });
    try {
      const onProgress = (share: number) => setState({ ...NOTHING, share });
      const model = await readLog(file, { format, onProgress, signal: control.signal });
      setState({ ...NOTHING, model: model?.requests ? model : null, problem: problemOf(model) });
    } catch {
      if (!control.signal.aborted) setState({ ...NOTHING, problem: t`The file cannot be read.` });
    }
  }
  function end() {
    reading.current?.abort();
    setState(NOTHING);
  }
  return { ...state, read, end };
}

interface Props {
  /** Where the stream is. */
  path: string;
  opened: boolean;
  onClose: () => void;
}

/** A mix from an access log, which never leaves the browser; it replaces the stream's requests. */
export function AccessLogDialog({ path, opened, onClose }: Props) {
  const store = useStore();
  const log = useLog();
  const [format, setFormat] = useState('');
  const [top, setTop] = useState(String(USUAL));
  const [answers, setAnswers] = useState(true);
  const [replays, setReplays] = useState(false);
  const wanted = Math.min(MOST, Math.max(1, Math.floor(Number(top)) || USUAL));
  const mix = useMemo(() => log.model && mixOf(log.model, { top: wanted, least: 1 }), [log.model, wanted]);
  const gaps = useMemo(() => log.model && gapsOf(log.model.arrivals), [log.model]);
  function close() {
    log.end();
    onClose();
  }
  function use() {
    if (!mix) return;
    store.change((draft) => withLog(draft, path, mix, { answers, gaps: replays ? gaps : null }));
    close();
  }
  return (
    <Modal opened={opened} onClose={close} size="xl" title={t`Mix from an access log`}>
      <Stack gap="sm">
        <Note>{t`The log is read in this browser and not uploaded. Queries, cookies and addresses are dropped; what looks personal or secret in a path becomes a number.`}</Note>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label={t`Format`}
            description={t`nginx's log_format, where it is neither combined nor JSON`}
            placeholder={t`from the first line`}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value)}
          />
          <TextInput
            label={t`Kinds of request`}
            description={t`the most frequent ones are kept`}
            inputMode="numeric"
            value={top}
            onChange={(event) => setTop(event.currentTarget.value)}
          />
        </SimpleGrid>
        <Group>
          <FileButton onChange={(file) => file && log.read(file, format)}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFileUpload size={14} />}>
                {t`Choose a log`}
              </Button>
            )}
          </FileButton>
          <Note>{t`as text, or packed by gzip`}</Note>
        </Group>
        {log.share !== null && (
          <Progress value={100 * log.share} aria-label={t`Share of the log that is read`} />
        )}
        <FormProblem message={log.problem ?? undefined} />
        {log.model && mix && <Found model={log.model} mix={mix} />}
        {log.model && gaps && <ReplaySwitch model={log.model} checked={replays} onChange={setReplays} />}
        {mix && (
          <Switch
            label={t`Files of like sizes answer it`}
            description={t`Makes sets of files, and replaces the server's configuration; undo brings it back.`}
            checked={answers}
            onChange={(event) => setAnswers(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {t`Cancel`}
          </Button>
          <Button disabled={!mix} onClick={use}>
            {t`Use this mix`}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ReplayProps {
  model: Model;
  checked: boolean;
  onChange: (wanted: boolean) => void;
}

/** Whether requests come at the log's own instants. */
function ReplaySwitch({ model, checked, onChange }: ReplayProps) {
  const most = formatNumber(MOST_ARRIVALS);
  const all = t`Requests come when they came in the log, instead of at the stream's rate.`;
  const first = t`The first ${most} requests come when they came in the log, instead of at the stream's rate.`;
  return (
    <Switch
      label={t`Replay the log's own timing`}
      description={model.arrivals.beyond > 0 ? first : all}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

/** With the 95 % interval of the exponent; empty where all are alike. */
function lawText(law: Popularity | undefined): string {
  if (!law) return '';
  const [exponent, error] = [law.exponent.toFixed(2), (1.96 * law.error).toFixed(2)];
  return t`Zipf, exponent ${exponent} ± ${error}`;
}

/** What is kept, and what is not. */
function Found({ model, mix }: { model: Model; mix: Mix }) {
  const [read, unread] = [formatNumber(model.requests), formatNumber(model.unread)];
  const [queries, hidden] = [formatNumber(model.queries), formatNumber(model.hidden)];
  const [kept, answered] = [percent(mix.kept, model.requests), percent(mix.answered, model.requests)];
  const rate = rateOf(model);
  const perSecond = rate === null ? null : formatNumber(Number(rate.toPrecision(3)));
  const kinds = plural(mix.requests.length, { one: '# kind of request', other: '# kinds of request' });
  return (
    <Stack gap={6} role="status">
      <div>{t`${read} requests; ${unread} lines were not understood. ${kinds} are kept, ${kept} of all.`}</div>
      <div>{t`Taken out: queries of ${queries} requests, and parts of the paths of ${hidden}. Look at what is kept:`}</div>
      <div className={classes.kept}>
        <table>
          <thead>
            <tr>
              <th>{t`Part of all`}</th>
              <th>{t`Request`}</th>
              <th>{t`n below`}</th>
              <th>{t`Popularity of n`}</th>
            </tr>
          </thead>
          <tbody>
            {mix.requests.map(({ weight, method = 'GET', path, count }) => (
              <tr key={`${method} ${path}`}>
                <td>{percent(weight, model.requests)}</td>
                <td>
                  <code>{`${method} ${path}`}</code>
                </td>
                <td>{count !== undefined && formatNumber(count)}</td>
                <td>{lawText(mix.laws.get(`${method} ${path}`))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>{t`Files can answer ${answered}; the rest gets status 204: other methods, and paths without a whole response in the log.`}</div>
      {perSecond && <div>{t`The log has ${perSecond} requests a second on average.`}</div>}
    </Stack>
  );
}
