import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useContext } from 'react';
import type { PrimaryPreview } from '@/api/generated';
import { said } from '@/lib/language/serverText';
import { PrimaryContext, useDraft, useStore } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import { ChoiceField, TextField } from '../fields/inputs';
import { List } from '../fields/List';
import { Note, Section } from '../fields/Section';
import { withValue } from '../model/paths';
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

const UNKNOWN: PrimaryPreview = { metrics: [], defaults: [] };

/** What differs between the arms speaks of some metrics more than of others: these are offered. */
function Proposal({ known, chosen, onUse }: ProposalProps) {
  const { proposed = [], defaults } = known;
  const counting = chosen.length > 0 ? chosen : defaults;
  if (proposed.length === 0 || proposed.join() === counting.join()) return null;
  const differing = (known.differing ?? []).slice(0, 3).join(', ');
  const titles = proposed.map((name) => titleOf(name, known)).join(', ');
  return (
    <Group gap="sm" mt={6}>
      <Note>{t`Arms differ in ${differing}, which these metrics show: ${titles}.`}</Note>
      <Button variant="default" size="compact-xs" onClick={() => onUse(proposed)}>
        {t`Use these`}
      </Button>
    </Group>
  );
}

interface ProposalProps {
  known: PrimaryPreview;
  chosen: readonly string[];
  onUse: (names: readonly string[]) => void;
}

/** Which metrics the verdict is about. An empty list of the draft means the defaults. */
function PrimaryEditor() {
  const store = useStore();
  const known = useContext(PrimaryContext) ?? UNKNOWN;
  const chosen = useDraft((draft) => draft.plan.primary);
  const free = known.metrics.find(({ name }) => !chosen.includes(name));
  const isChosen = chosen.length > 0;
  const hasCv = (isChosen ? chosen : known.defaults).some((name) => titleOf(name, known).includes('CV'));
  const put = (names: readonly string[]) => store.change((draft) => withValue(draft, PATH, [...names]));
  function choose() {
    put(known.defaults);
    focusSoon(`${PATH}.0`);
  }
  return (
    <div>
      <List<string>
        path={PATH}
        label={t`Primary metrics`}
        intro={
          <Note mb={6}>
            {t`The verdict is about these, in this order. All others are shown as exploratory, without a claim.`}{' '}
            {hasCv &&
              t`CV is the scatter: the standard deviation as a share of the mean, 0 if all do the same.`}
          </Note>
        }
        nameOf={(_, number) => t`primary metric ${number}`}
        create={() => free?.name ?? ''}
        row={classes.thresholdRow}
        ordered
        none={<Defaults known={known} onChoose={choose} />}
        adds={isChosen && free && chosen.length < MOST && t`Add metric`}
        beside={
          isChosen && (
            <Button variant="subtle" color="gray" size="compact-xs" onClick={() => put([])}>
              {t`Use the defaults`}
            </Button>
          )
        }
      >
        {(_, { path, number }) => (
          <ChoiceField
            path={path}
            label={t`Primary metric ${number}`}
            hideLabel
            options={known.metrics.map(({ name, title }) => ({ value: name, label: said(title) }))}
          />
        )}
      </List>
      <Proposal known={known} chosen={chosen} onUse={put} />
    </div>
  );
}

const EXAMPLES = ['p99_ms < 20', 'requests_per_s ratio > 0.98', 'errors_percent <= 0 for ARM'] as const;

/** One threshold a line, e.g. `p99_ms < 20`. */
function ThresholdsEditor() {
  const [plain, ratio, ofArm] = EXAMPLES;
  return (
    <List<string>
      path="thresholds"
      label={t`Thresholds`}
      intro={
        <Note mb={6}>
          <Trans>
            For example <Code>{plain}</Code>, <Code>{ratio}</Code> against the baseline, or{' '}
            <Code>{ofArm}</Code>.
          </Trans>
        </Note>
      }
      nameOf={(_, number) => t`threshold ${number}`}
      create={() => ''}
      row={classes.thresholdRow}
      adds={t`Add threshold`}
    >
      {(_, { path, number }) => (
        <TextField
          path={path}
          label={t`Threshold ${number}`}
          hideLabel
          code
          maxLength={200}
          placeholder="METRIC [ratio] < NUMBER [for ARM]"
        />
      )}
    </List>
  );
}
