import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useContext } from 'react';
import type { PrimaryPreview } from '@/api/generated';
import { said } from '@/lib/language/serverText';
import { PrimaryContext, useDraft, useStore } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import { ChoiceField, TextField } from '../fields/inputs';
import { AddButton, RowActions } from '../fields/RowActions';
import { ProblemLine, Section } from '../fields/Section';
import { withValue } from '../model/paths';
import { type Place, useItems } from './ItemsSection';
import classes from './ThresholdsEditor.module.css';

export function VerdictSection() {
  return (
    <Section
      id="verdict"
      note={t`What claims are made about, and the thresholds by which a run passes or fails (also the command line's exit code).`}
    >
      <Stack gap="lg">
        <PrimaryEditor />
        <ThresholdsEditor />
      </Stack>
    </Section>
  );
}

const PATH = 'plan.primary';
const MOST = 10;

const titleOf = (name: string, { metrics }: PrimaryPreview) =>
  said(metrics.find((metric) => metric.name === name)?.title ?? name);

function MetricRow({ place, known }: { place: Place; known: PrimaryPreview }) {
  const number = place.index + 1;
  return (
    <div className={classes.thresholdRow}>
      <ChoiceField
        path={`${PATH}.${place.index}`}
        label={t`Primary metric ${number}`}
        hideLabel
        options={known.metrics.map(({ name, title }) => ({ value: name, label: said(title) }))}
      />
      <RowActions what={t`primary metric ${number}`} path={PATH} {...place} />
    </div>
  );
}

/** The metrics that count without a choice, and the way to a choice of one's own. */
function Defaults({ known, onChoose }: { known: PrimaryPreview; onChoose: () => void }) {
  const isOfTemplate = useDraft((draft) => draft.template != null);
  return (
    <Group gap="sm">
      <Text size="sm">
        {known.defaults.map((name, index) => `${index + 1}. ${titleOf(name, known)}`).join('  ')}
        <Text span size="xs" c="var(--text-dim)">
          {' '}
          {isOfTemplate ? t`(defaults of the template)` : t`(defaults of the load)`}
        </Text>
      </Text>
      <Button variant="default" size="compact-xs" onClick={onChoose} disabled={known.defaults.length === 0}>
        {t`Choose`}
      </Button>
    </Group>
  );
}

function Chosen({ known, onReset }: { known: PrimaryPreview; onReset: () => void }) {
  const chosen = useDraft((draft) => draft.plan.primary);
  const free = known.metrics.find(({ name }) => !chosen.includes(name));
  const { places, add } = useItems<string>(PATH, () => free?.name ?? '');
  return (
    <Stack gap={6}>
      {places.map((place) => (
        <MetricRow key={place.index} place={place} known={known} />
      ))}
      <Group gap="xs">
        {free && places.length < MOST && <AddButton onClick={add}>{t`Add metric`}</AddButton>}
        <Button variant="subtle" color="gray" size="compact-xs" onClick={onReset}>
          {t`Use the defaults`}
        </Button>
      </Group>
    </Stack>
  );
}

const UNKNOWN: PrimaryPreview = { metrics: [], defaults: [] };

/** Which metrics the verdict is about. An empty list of the draft means the defaults. */
function PrimaryEditor() {
  const store = useStore();
  const known = useContext(PrimaryContext) ?? UNKNOWN;
  const isChosen = useDraft((draft) => draft.plan.primary.length > 0);
  const put = (names: readonly string[]) => store.change((draft) => withValue(draft, PATH, [...names]));
  function choose() {
    put(known.defaults);
    focusSoon(`${PATH}.0`);
  }
  return (
    <ProblemLine path={PATH} label={t`Primary metrics`}>
      <Text size="sm" fw={500}>
        {t`Primary metrics`}
      </Text>
      <Text size="xs" c="var(--text-dim)" mb={6}>
        {t`The verdict is about these, in this order. All others are shown as exploratory, without a claim.`}
      </Text>
      {isChosen ? (
        <Chosen known={known} onReset={() => put([])} />
      ) : (
        <Defaults known={known} onChoose={choose} />
      )}
    </ProblemLine>
  );
}

const THRESHOLDS = 'thresholds';
const EXAMPLES = ['p99_ms < 20', 'requests_per_s ratio > 0.98', 'errors_percent <= 0 for ARM'] as const;

function ThresholdRow(place: Place) {
  const number = place.index + 1;
  return (
    <div className={classes.thresholdRow}>
      <TextField
        path={`${THRESHOLDS}.${place.index}`}
        label={t`Threshold ${number}`}
        hideLabel
        code
        maxLength={200}
        placeholder="METRIC [ratio] < NUMBER [for ARM]"
      />
      <RowActions what={t`threshold ${number}`} path={THRESHOLDS} {...place} onMove={undefined} />
    </div>
  );
}

/** One threshold a line, e.g. `p99_ms < 20`. */
function ThresholdsEditor() {
  const { places, add } = useItems<string>(THRESHOLDS, () => '');
  const [plain, ratio, ofArm] = EXAMPLES;
  return (
    <ProblemLine path={THRESHOLDS} label={t`Thresholds`}>
      <Text size="sm" fw={500}>
        {t`Thresholds`}
      </Text>
      <Text size="xs" c="var(--text-dim)" mb={6}>
        <Trans>
          For example <Code>{plain}</Code>, <Code>{ratio}</Code> against the baseline, or <Code>{ofArm}</Code>
          .
        </Trans>
      </Text>
      <Stack gap={6}>
        {places.map((place) => (
          <ThresholdRow key={place.index} {...place} />
        ))}
        <div>
          <AddButton onClick={add}>{t`Add threshold`}</AddButton>
        </div>
      </Stack>
    </ProblemLine>
  );
}
