import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { slotNames } from '@/domain/slots';
import { useDraft, useValue } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import { Field, Fields, Row } from '../fields/Field';
import { ChoiceField } from '../fields/inputs';
import { RowActions } from '../fields/RowActions';
import { ProblemLine } from '../fields/Section';
import type { Draft } from '../model/draft/draft';
import {
  type ActionKind,
  actionLabels,
  blankPerturbation,
  type DraftPerturbation,
  type WhenKind,
  whenLabels,
  whensOf,
  withAction,
  withWhen,
} from '../model/draft/perturbationDraft';
import { freeKey } from '../model/draft/values';
import { withChange } from '../model/paths';
import { ItemsSection, type Place, useItems } from './ItemsSection';
import items from './items.module.css';

const PATH = 'perturbations';

export function PerturbationsSection() {
  const items = useItems<DraftPerturbation>(PATH, (all) => blankPerturbation(freeKey('reload', all)), 'key');
  function duplicate(index: number) {
    items.put((all) =>
      all.flatMap((one, place) => (place === index ? [one, { ...one, key: freeKey(one.key, all) }] : [one])),
    );
    focusSoon(`${PATH}.${index + 1}.key`);
  }
  return (
    <ItemsSection
      id="perturbations"
      label={t`Perturbations`}
      adds={t`Add perturbation`}
      note={t`Actions during a trial. Times are seconds from the start of the measured window. Every chart marks each action.`}
      none={t`None. Only the streams act on nginx.`}
      items={items}
    >
      {(place) => <PerturbationEditor {...place} onDuplicate={() => duplicate(place.index)} />}
    </ItemsSection>
  );
}

interface Props extends Place {
  onDuplicate: () => void;
}

const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key);

function surroundings({ perturbations, nginx }: Draft, index: number) {
  return {
    taken: keysOf(perturbations.filter((_, place) => place !== index)),
    groups: keysOf(nginx.upstreams?.groups ?? []),
  };
}

/** What is done, by which slot, and in which way it is scheduled. */
function Choices({ path, one, index }: { path: string; one: DraftPerturbation; index: number }) {
  const slots = useDraft((draft) => slotNames(draft).join(' ')).split(' ');
  const actions = Object.entries(actionLabels()).map(([value, label]) => ({ value, label }));
  const whens = whensOf(one).map((value) => ({ value, label: whenLabels()[value] }));
  const changed = (draft: Draft, how: (now: DraftPerturbation) => DraftPerturbation) =>
    withChange<Draft, DraftPerturbation>(draft, path, how);
  return (
    <>
      <ChoiceField
        path={`${path}.action.kind`}
        label={t`Action`}
        options={actions}
        change={(draft, kind) =>
          changed(draft, (now) => withAction(now, kind as ActionKind, surroundings(draft, index)))
        }
      />
      <Field of="Perturbation.slot" at={path} options={slots} />
      <ChoiceField
        path={`${path}.when.kind`}
        label={t`When`}
        options={whens}
        change={(draft, kind) => changed(draft, (now) => withWhen(now, kind as WhenKind))}
      />
    </>
  );
}

/** What is done, by which host, and when. */
function PerturbationEditor(place: Props) {
  const { index } = place;
  const path = `perturbations.${index}`;
  const one = useDraft((draft) => draft.perturbations[index]);
  if (!one) return null;
  const { key } = one;
  const name = key || index + 1;
  return (
    <fieldset className={items.factor}>
      <legend className="visually-hidden">{t`Perturbation ${key}`}</legend>
      <div className={items.itemHead}>
        <Row>
          <Field of="Perturbation.key" at={path} />
          <Choices path={path} one={one} index={index} />
        </Row>
        <RowActions what={t`perturbation ${key}`} path="perturbations" {...place} />
      </div>
      <ProblemLine path={path} label={t`Perturbation ${name}`}>
        <Stack gap={10}>
          <WhenFields path={`${path}.when`} kind={one.when.kind} />
          <ActionFields path={`${path}.action`} kind={one.action.kind} />
        </Stack>
      </ProblemLine>
    </fieldset>
  );
}

/** The sections of the schema. */
const SCHEDULES = { once: 'Once', every: 'Every', during: 'During' } as const;

function WhenFields({ path, kind }: { path: string; kind: WhenKind }) {
  return (
    <ProblemLine path={path} label={t({ message: 'Schedule', context: 'perturbation' })}>
      <Row>
        <Fields of={SCHEDULES[kind]} at={path} />
      </Row>
    </ProblemLine>
  );
}

const help = (): Record<ActionKind, string> => ({
  reload: t`Ends when every worker process is new.`,
  churn: t`Replaces the nodes of the group while nginx runs. Requires dynamic upstreams in nginx.`,
  sync: t`Affects the whole host, so its owner must allow it.`,
  signal: t`STOP is followed by CONT.`,
  http: t`Only to a role of this trial.`,
  'cpu-pressure': t`Runs busy processes on the whole host, so its owner must allow it.`,
  'disk-pressure': t`Writes and syncs files in the trial's folder. The host's owner must allow it.`,
});

/** What an action of this kind needs to know. */
function ActionFields({ path, kind }: { path: string; kind: ActionKind }) {
  return (
    <ProblemLine path={path} label={t`Action`}>
      {kind === 'churn' && <ChurnFields path={path} />}
      {kind === 'signal' && <SignalFields path={path} />}
      {kind === 'http' && <HttpFields path={path} />}
      {kind === 'cpu-pressure' && (
        <Row>
          <Fields of="CpuPressure" at={path} />
        </Row>
      )}
      {kind === 'disk-pressure' && (
        <Row>
          <Fields of="DiskPressure" at={path} />
        </Row>
      )}
      <Text size="xs" c="var(--text-dim)" mt={6}>
        {help()[kind]}
      </Text>
    </ProblemLine>
  );
}

function ChurnFields({ path }: { path: string }) {
  const groups = useDraft((draft) => draft.nginx.upstreams?.groups ?? NO_GROUPS);
  return (
    <Row>
      <Field of="Churn.group" at={path} options={groups.map(({ key }) => key)} />
      <Field of="Churn.timeout_s" at={path} />
    </Row>
  );
}

const NO_GROUPS: { key: string }[] = [];

function SignalFields({ path }: { path: string }) {
  const signal = useValue<string>(`${path}.signal`);
  const to = useValue<string>(`${path}.to`);
  return (
    <Row>
      <Field of="SignalNginx.signal" at={path} />
      <Field of="SignalNginx.to" at={path} />
      {to === 'worker' && <Field of="SignalNginx.worker" at={path} />}
      {signal === 'STOP' && <Field of="SignalNginx.resume_after_s" at={path} />}
    </Row>
  );
}

function HttpFields({ path }: { path: string }) {
  const upstream_servers = useDraft((draft) => draft.upstream_servers);
  const endpoints = [
    { value: 'target', label: t`the target` },
    ...upstream_servers.map(({ key }) => ({ value: `upstream.${key}`, label: t`upstream ${key}` })),
  ];
  return (
    <>
      <Row>
        <Field of="HttpCall.endpoint" at={path} options={endpoints} />
        <Field of="HttpCall.method" at={path} maxLength={20} />
        <Field of="HttpCall.path" at={path} />
        <Field of="HttpCall.timeout_s" at={path} />
      </Row>
      <Field of="HttpCall.body" at={path} rows={2} />
    </>
  );
}
