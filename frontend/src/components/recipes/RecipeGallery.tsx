import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Text, Title } from '@mantine/core';
import { IconClock, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { itemsOf } from '@/api/client';
import { listRecipesOptions, type RecipeSummary } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { QueryView } from '@/components/ui/QueryView';
import { SearchField } from '@/components/ui/SearchField';
import { Found } from '@/components/ui/table/Pages';
import { kindNames, recipesAbout } from '@/domain/recipes';
import { formatDuration } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
import { RecipeFit } from './RecipeFit';
import { RecipePicture } from './RecipePicture';
import classes from './recipes.module.css';

function RecipeCard({ recipe }: { recipe: RecipeSummary }) {
  const { key, question, kind, duration_s } = recipe;
  return (
    <Link to={`/experiments/new/recipes/${key}`} className={classes.card}>
      <Text size="xs" c="var(--text-dim)">
        {kindNames()[kind]}
      </Text>
      <Text fw={600}>
        <ServerText text={question} />
      </Text>
      <RecipePicture recipe={recipe} />
      <Group gap="md" mt="auto" className={classes.foot}>
        <span className={classes.fit}>
          <IconClock size={14} aria-hidden />
          {formatDuration(duration_s)}
        </span>
        <RecipeFit recipe={recipe} />
      </Group>
    </Link>
  );
}

/** Cards fill the screen, so that what stands below them begins below it from the start. */
const ROWS = [330, 330, 330, 330, 330];

/** Everyday questions, each a ready experiment: found by words of the reader's language or of nginx. */
export function RecipeGallery() {
  const [search, setSearch] = useSearchState('about');
  const recipes = useQuery({ ...listRecipesOptions(), select: itemsOf, staleTime: 60_000 });
  return (
    <section aria-label={t`What do you want to know?`}>
      <Group justify="space-between" align="flex-end" mb="sm" gap="sm">
        <Title order={2} size="h3">{t`What do you want to know?`}</Title>
        <SearchField
          aria-label={t`Search questions`}
          placeholder={t`gzip, keepalive, cache, TLS …`}
          leftSection={<IconSearch size={14} />}
          value={search}
          onSearch={setSearch}
          className={classes.search}
        />
      </Group>
      <QueryView query={recipes} skeleton={ROWS}>
        {(every) => <Cards found={recipesAbout(every, search, said)} isFiltered={search !== ''} />}
      </QueryView>
    </section>
  );
}

function Cards({ found, isFiltered }: { found: readonly RecipeSummary[]; isFiltered: boolean }) {
  return (
    <>
      <Found
        text={isFiltered ? plural(found.length, { one: '# question', other: '# questions' }) : undefined}
      />
      {found.length === 0 ? (
        <Text size="sm" c="var(--text-dim)">
          <Trans>No question is about these words. Try fewer, or design an experiment from scratch.</Trans>
        </Text>
      ) : (
        <div className={classes.gallery}>
          {found.map((recipe) => (
            <RecipeCard key={recipe.key} recipe={recipe} />
          ))}
        </div>
      )}
    </>
  );
}
