import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconApi, IconLogout, IconSelector, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { unwrap } from '@/api/client';
import { chooseLanguage, logout, type Me } from '@/api/generated';
import { meKey, useMe } from '@/api/session';
import { colorSchemes } from '@/components/ui/ColorSchemeControl';
import { askForLanguage } from '@/components/ui/language/OtherLanguages';
import { nameOfRole } from '@/domain/roles';
import { ALL_LANGUAGES, LANGUAGES, type Language, useLanguage } from '@/lib/language/language';
import classes from './shell.module.css';

/** For other browsers of the same person, in which nothing else was chosen. */
function useKeepLanguage() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (language: Language) => unwrap(chooseLanguage({ body: { language }, throwOnError: true })),
    onSuccess: (_, language) => queryClient.setQueryData<Me | null>(meKey, (me) => me && { ...me, language }),
  });
}

/** Sign out. The shell watches who is signed in: that entry changes, all others are forgotten. */
function useLogout() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(logout({ throwOnError: true })),
    onSuccess: () => {
      queryClient.setQueryData(meKey, null);
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
    },
  });
}

function ColorSchemes() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>
        <Trans>Colour scheme</Trans>
      </Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
      >
        {colorSchemes().map(({ value, label }) => (
          <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
            {label}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

function Languages() {
  const { mutate: keep } = useKeepLanguage();
  const change = async (language: Language) => {
    if (await askForLanguage(language)) keep(language);
  };
  return (
    <>
      <Menu.Label>
        <Trans>Language</Trans>
      </Menu.Label>
      <Menu.RadioGroup value={useLanguage()} onChange={(language) => void change(language as Language)}>
        {ALL_LANGUAGES.map((language) => (
          <Menu.RadioItem key={language} value={language} lang={language}>
            {LANGUAGES[language]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

export function AccountMenu() {
  const { data: me } = useMe();
  const signOut = useLogout();
  return (
    <Menu position="top-start" width={216} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label={t`Account and appearance`}>
          <span className={classes.avatar} aria-hidden>
            {me?.account.email.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.accountText}>
            <span>{me?.account.email}</span>
            <small>{me && nameOfRole(me.account.role).toLowerCase()}</small>
          </span>
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <ColorSchemes />
        <Menu.Divider />
        <Languages />
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={15} />}>
          <Trans>Account</Trans>
        </Menu.Item>
        <Menu.Item component={Link} to="/api-docs" leftSection={<IconApi size={15} />}>
          API
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => signOut.mutate()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
