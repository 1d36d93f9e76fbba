import { t } from '@lingui/core/macro';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightStore, useSpotlight } from '@mantine/spotlight';
import { IconFlask2, IconHelpCircle, IconPlayerPlay, IconSearch, type TablerIcon } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { itemsOf } from '@/api/client';
import { listExperimentsOptions, listRecipesOptions, listRunsOptions } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { recipesAbout } from '@/domain/recipes';
import { nameOfState } from '@/domain/states';
import { said } from '@/lib/language/serverText';
import { formatRelative } from '@/lib/time';
import { actionsFor, type PaletteAction } from './actions';

interface Entry {
  id: string;
  label: string;
  description?: string;
  Icon: TablerIcon;
  run: () => void;
}

interface Group {
  title: string;
  entries: Entry[];
}

const SETTLED_MS = 150;
const MOST = 6;
const whileTyping = { placeholderData: keepPreviousData, staleTime: 10_000 };

/** What is found of the words: experiments and runs by the server, recipes and actions here. Without words, the newest. */
function useFound(query: string): Group[] {
  const [words] = useDebouncedValue(query.trim(), SETTLED_MS);
  const experiments = useQuery({
    ...listExperimentsOptions({ query: { search: words, limit: MOST } }),
    ...whileTyping,
  });
  const runs = useQuery({ ...listRunsOptions({ query: { search: words, limit: MOST } }), ...whileTyping });
  const recipes = useQuery({ ...listRecipesOptions(), select: itemsOf, staleTime: 60_000 });
  const actions = useActions();
  const navigate = useNavigate();
  const to = (address: string) => () => void navigate(address);
  const asked = words === '' ? [] : recipesAbout(recipes.data ?? [], words, said).slice(0, MOST);
  return [
    {
      title: t`Experiments`,
      entries: (experiments.data?.items ?? []).map(({ id, name, created_by }) => ({
        id: `experiment-${id}`,
        label: name,
        description: created_by,
        Icon: IconFlask2,
        run: to(`/experiments/${id}`),
      })),
    },
    {
      title: t`Runs`,
      entries: (runs.data?.items ?? []).map(
        ({ id, experiment_name, number, state, created_at, finished_at }) => ({
          id: `run-${id}`,
          label: `${experiment_name} #${number}`,
          description: `${nameOfState(state)}, ${formatRelative(finished_at ?? created_at)}`,
          Icon: IconPlayerPlay,
          run: to(finished_at ? `/runs/${id}/report` : `/runs/${id}`),
        }),
      ),
    },
    {
      title: t`Questions`,
      entries: asked.map(({ key, question, title }) => ({
        id: `recipe-${key}`,
        label: said(question),
        description: title,
        Icon: IconHelpCircle,
        run: to(`/experiments/new/recipes/${key}`),
      })),
    },
    { title: t`Actions`, entries: matching(actions, words) },
  ].filter(({ entries }) => entries.length > 0);
}

function useActions(): (Entry & PaletteAction)[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const [experimenter, administrator] = [useHasRole('experimenter'), useHasRole('administrator')];
  return actionsFor({ experimenter, administrator }).map((action) => ({
    ...action,
    id: `action-${action.english}`,
    run: () => (action.to ? void navigate(action.to) : action.scheme && setColorScheme(action.scheme)),
  }));
}

/** Those that have every word, in the reader's language or in English. */
function matching<T extends PaletteAction>(actions: readonly T[], words: string): T[] {
  const all = words.toLowerCase().split(/\s+/).filter(Boolean);
  return actions.filter(({ label, english }) => {
    const text = `${label} ${english}`.toLowerCase();
    return all.every((word) => text.includes(word));
  });
}

interface Props {
  /** How often it was asked for: each time opens it. */
  asked: number;
}

/** What Ctrl-K opens over any page: experiments, runs, questions and actions, by words and the keyboard. */
export function Palette({ asked }: Props) {
  const [[store, palette]] = useState(createSpotlight);
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (asked > 0) palette.open();
  }, [asked, palette]);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      clearQueryOnClose
      scrollable
      maxHeight="min(480px, 70dvh)"
      attributes={{ content: { 'aria-label': t`Find or do` } }}
    >
      <Spotlight.Search
        aria-label={t`Find or do`}
        placeholder={t`Find an experiment, a run, a question, or do something…`}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <Found query={query} store={store} />
    </Spotlight.Root>
  );
}

/** The list is scrolled by the keyboard, too. Its type does not name this, but it is a scroll area, which takes it. */
const focusable = () => ({
  viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t`What was found` },
});

/** Asks only while it is open. */
function Found({ query, store }: { query: string; store: SpotlightStore }) {
  const groups = useFound(query);
  const { selected } = useSpotlight(store);
  const chosen = groups.flatMap(({ entries }) => entries)[selected];
  return (
    <Spotlight.ActionsList {...focusable()}>
      {/* The arrows move a mark; the cursor stays in the search, so what is marked has to be said. */}
      <div role="status" className="visually-hidden">
        {chosen?.label}
      </div>
      {groups.map(({ title, entries }) => (
        <Spotlight.ActionsGroup key={title} label={title}>
          {entries.map(({ id, label, description, Icon, run }) => (
            <Spotlight.Action
              key={id}
              label={label}
              description={description}
              leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
              onClick={run}
            />
          ))}
        </Spotlight.ActionsGroup>
      ))}
      {groups.length === 0 && <Spotlight.Empty>{t`Nothing found`}</Spotlight.Empty>}
    </Spotlight.ActionsList>
  );
}
