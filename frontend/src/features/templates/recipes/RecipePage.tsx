import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { getRecipeOptions, type NeedInfo, type NeedResult, type RecipeDetail } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { useHostChoice, type Where } from '@/components/hosts/useHostChoice';
import { RecipePicture } from '@/components/recipes/RecipePicture';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { buildsOfDefinition } from '@/domain/builds';
import { slotsOfDefinition } from '@/domain/slots';
import { wordedRecipe } from '@/domain/worded';
import { said } from '@/lib/language/serverText';
import { usePageTitle } from '@/lib/usePageTitle';
import form from '../TemplateForm.module.css';
import { useSaveAndRun } from '../useSaveAndRun';
import { WherePanel } from '../WherePanel';

/** Its needs, with what the chosen host of each part lacks. */
function needsOn(
  recipe: RecipeDetail,
  assigned: Record<string, string | null>,
): (NeedInfo & Partial<NeedResult>)[] {
  return recipe.needs.map((need) => {
    const host = recipe.hosts.find(({ host_id }) => host_id === assigned[need.slot]);
    if (!host) return need;
    const lacked = host.lacks.find(({ slot, what }) => slot === need.slot && what === need.what);
    return lacked ?? { ...need, ok: true, host: host.host, detail: t`available` };
  });
}

function Expectation({ recipe }: { recipe: RecipeDetail }) {
  const { expectation, source, shown } = recipe;
  return (
    <Panel title={t`What should happen`}>
      <Stack gap="xs">
        <Text size="sm">
          <ServerText text={expectation} />
        </Text>
        <Anchor href={source.url} target="_blank" rel="noreferrer" underline="always" size="sm" lang="en">
          {source.title}
        </Anchor>
        {shown && <Shown recipe={recipe} shown={shown} />}
      </Stack>
    </Panel>
  );
}

function Shown({ recipe, shown }: { recipe: RecipeDetail; shown: NonNullable<RecipeDetail['shown']> }) {
  const { recorded_on, nginx, cpus, text, interval } = shown;
  const labelOf = (key: string) => recipe.arms.find((arm) => arm.key === key)?.label ?? key;
  const [arm, against] = [labelOf(recipe.outcome.arm), labelOf(recipe.outcome.against)];
  return (
    <>
      <Text size="sm" fw={600} mt="xs">
        <Trans>
          Last recorded on {recorded_on}, with nginx {nginx} and {cpus} CPUs
        </Trans>
      </Text>
      <RecipePicture recipe={recipe} />
      <Text size="sm">
        <Trans>
          {arm} against {against}: <InEnglish>{text}</InEnglish>
        </Trans>
        {interval && (
          <>
            {' '}
            (<InEnglish>{interval}</InEnglish>)
          </>
        )}
      </Text>
    </>
  );
}

function Actions({ recipe, where, fits }: { recipe: RecipeDetail; where: Where | null; fits: boolean }) {
  const navigate = useNavigate();
  const mayCreate = useHasRole('experimenter');
  const { run, error, isPending } = useSaveAndRun();
  const why = reason(mayCreate, where, fits);
  const ready = { name: said(recipe.title), definition: recipe.definition };
  const edit = () => void navigate('/experiments/new/blank', { state: ready });
  return (
    <div className={form.submit}>
      {error && <ProblemNotice error={error} />}
      <Group gap="sm">
        <Button
          size="md"
          leftSection={<IconPlayerPlay size={16} />}
          loading={isPending}
          disabled={why !== null}
          onClick={() => where && void run(ready, where)}
        >
          {t`Run`}
        </Button>
        <Button size="md" variant="default" leftSection={<IconPencil size={16} />} onClick={edit}>
          {t`Change it first`}
        </Button>
        {why && (
          <Text size="xs" c="var(--text-dim)">
            {why}
          </Text>
        )}
      </Group>
    </div>
  );
}

/** Why it cannot be run, where it cannot. */
function reason(mayCreate: boolean, where: Where | null, fits: boolean): string | null {
  if (!mayCreate) return t`You need the experimenter role.`;
  if (where === null) return t`No host is available.`;
  return fits ? null : t`The host lacks a required capability; see above.`;
}

function Recipe({ recipe }: { recipe: RecipeDetail }) {
  const { definition } = recipe;
  const choice = useHostChoice(slotsOfDefinition(definition), buildsOfDefinition(definition));
  const needs = needsOn(recipe, choice.assigned);
  return (
    <div className={form.split}>
      <Stack gap="md">
        <Expectation recipe={recipe} />
        <WherePanel slots={slotsOfDefinition(definition)} choice={choice} needs={needs} />
        <Actions
          recipe={recipe}
          where={choice.complete}
          fits={needs.every(({ must, ok }) => !must || ok !== false)}
        />
      </Stack>
      <div className={form.aside}>
        <Panel title={t`Plan`}>
          <PlanTimeline plan={recipe.plan} />
        </Panel>
        <Panel
          title={t`Arms`}
          note={t`The exact nginx.conf of each arm. Changes are relative to the baseline.`}
        >
          <ArmConfigs arms={recipe.previews} baseline={recipe.definition.baseline} />
        </Panel>
      </div>
    </div>
  );
}

/** A question, what should come out of it, and a button that asks it. */
export default function RecipePage() {
  const { recipeKey = '' } = useParams();
  const recipe = useQuery({ ...getRecipeOptions({ path: { key: recipeKey } }), staleTime: 60_000 });
  const title = recipe.data && said(recipe.data.title);
  usePageTitle(title ? t`New: ${title}` : t`New experiment`);
  return (
    <QueryView
      query={recipe}
      skeleton={[40, 420]}
      wayOut={{ label: t`All questions`, to: '/experiments/new' }}
    >
      {(data) => (
        <>
          <PageHeader
            title={<ServerText text={data.question} />}
            crumbs={[
              { label: t`Experiments`, to: '/experiments' },
              { label: t`New`, to: '/experiments/new' },
            ]}
            meta={<ServerText text={data.title} />}
          />
          <Recipe recipe={wordedRecipe(data)} />
        </>
      )}
    </QueryView>
  );
}
