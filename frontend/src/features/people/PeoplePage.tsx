import { t } from '@lingui/core/macro';
import { Button, Select, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { itemsOf } from '@/api/client';
import {
  type AccountOut,
  createAccountMutation,
  listAccountsOptions,
  listAccountsQueryKey,
  listSchedulesOptions,
  type OneTimePassword,
} from '@/api/generated';
import { useHasRole, useMe } from '@/api/session';
import { SchedulesTable } from '@/components/experiments/SchedulesTable';
import { Dim } from '@/components/ui/Dim';
import { EmptyState } from '@/components/ui/EmptyState';
import { FormProblem } from '@/components/ui/FormProblem';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable, RowLink } from '@/components/ui/table/DataTable';
import { nameOfRole, roles } from '@/domain/roles';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSentForm } from '@/lib/useSentForm';
import { z } from '@/lib/zod';
import { AccountState, showOneTimePassword } from './account';
import { LiveLinks } from './LiveLinks';
import { Teams } from './Teams';

const schema = z.object({
  email: z
    .string()
    .check(z.trim(), z.regex(/^\S+@\S+$/, { error: () => t`Enter an address such as name@domain` })),
  role: z.enum(['viewer', 'experimenter', 'administrator']),
});
type Values = z.infer<typeof schema>;

/** In a dialog: who, and what they may do. */
function NewPersonForm() {
  const create = useMutation({
    ...createAccountMutation(),
    meta: { errorShownInPlace: true, refetches: [listAccountsQueryKey()] },
  });
  const { form, submit } = useSentForm({
    schema,
    empty: { email: '', role: 'experimenter' } as Values,
    send: (body, options) => create.mutate({ body }, options),
    onSent: (made: OneTimePassword) => {
      modals.closeAll();
      showOneTimePassword(made);
    },
  });
  const { errors } = form.formState;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormProblem message={errors.root?.message} />
        <TextInput
          label={t`E-mail`}
          type="email"
          data-autofocus
          error={errors.email?.message}
          {...form.register('email')}
        />
        <Controller
          control={form.control}
          name="role"
          render={({ field: { value, onChange } }) => (
            <Select label={t`Role`} data={roles()} value={value} onChange={onChange} allowDeselect={false} />
          )}
        />
        <Button type="submit" loading={create.isPending} style={{ alignSelf: 'flex-end' }}>
          {t`Create account`}
        </Button>
      </Stack>
    </form>
  );
}

function AddPersonButton() {
  return (
    <Button
      leftSection={<IconPlus size={14} />}
      onClick={() => modals.open({ title: t`Add a person`, children: <NewPersonForm /> })}
    >
      {t`Add person`}
    </Button>
  );
}

const columns = (ownId: string | undefined): Column<AccountOut>[] => [
  {
    name: t`E-mail`,
    look: { miw: 180, style: { overflowWrap: 'anywhere' } },
    cell: ({ id, email }) => (
      <>
        <RowLink to={`/people/${id}`}>{email}</RowLink>
        {id === ownId && ` ${t`(you)`}`}
      </>
    ),
  },
  { name: t`Role`, cell: ({ role }) => nameOfRole(role) },
  { name: t`State`, cell: (account) => <AccountState account={account} /> },
  { name: t`Created`, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
];

function PeopleTable() {
  const accounts = useQuery({ ...listAccountsOptions(), select: itemsOf });
  const { data: me } = useMe();
  return (
    <QueryView query={accounts} skeleton={[220]}>
      {(items) => (
        <Panel flush>
          <DataTable linked columns={columns(me?.account.id)} rows={items} minWidth={560} />
        </Panel>
      )}
    </QueryView>
  );
}

/** What starts runs by itself, whoever made it: also that of people who are disabled, which pauses. */
function Schedules() {
  const query = useQuery({ ...listSchedulesOptions(), select: itemsOf });
  return (
    <QueryView query={query} skeleton={[120]}>
      {(items) => {
        const going = items.filter(({ state }) => state !== 'ended');
        return (
          <Panel flush title={t`Schedules`} note={t`Runs that start by themselves, and which of them pause.`}>
            {going.length === 0 ? (
              <Dim px="md" py="sm">{t`Nothing is scheduled.`}</Dim>
            ) : (
              <SchedulesTable ofAll schedules={going} />
            )}
          </Panel>
        );
      }}
    </QueryView>
  );
}

export default function PeoplePage() {
  usePageTitle(t`People`);
  const isAdministrator = useHasRole('administrator');
  return (
    <>
      <PageHeader
        title={t`People`}
        meta={t`Who may sign in, and what they may do.`}
        actions={isAdministrator && <AddPersonButton />}
      />
      {isAdministrator ? (
        <Stack gap="md" className="in-order">
          <PeopleTable />
          <Teams />
          <LiveLinks />
          <Schedules />
        </Stack>
      ) : (
        <EmptyState title={t`Only administrators manage people`} />
      )}
    </>
  );
}
