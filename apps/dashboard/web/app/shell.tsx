import { AppShell, Burger, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity, IconChartBar, IconHistory, IconKey, IconList, IconPlayerPlay, IconStack2, IconUsers, IconWebhook } from '@tabler/icons-react';
import { Suspense, useEffect, useRef } from 'react';
import { NavLink as RouterLink, Outlet, useLocation } from 'react-router';
import { AccountSwitch } from './account-switch';
import { Brand } from './brand';
import { ErrorBoundary } from './error-boundary';
import { PersonMenu } from './person-menu';
import { useSession } from './session';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch';

const GROUPS = [
  {
    pages: [
      { to: '/requests', label: 'Requests', Icon: IconList },
      { to: '/playground', label: 'Playground', Icon: IconPlayerPlay, acts: true },
      { to: '/usage', label: 'Usage', Icon: IconChartBar },
    ],
  },
  {
    title: 'Build',
    pages: [
      { to: '/keys', label: 'API keys', Icon: IconKey },
      { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook },
    ],
  },
  {
    title: 'Operate',
    pages: [
      { to: '/queue', label: 'Queue', Icon: IconStack2 },
      { to: '/status', label: 'Status', Icon: IconActivity },
      { to: '/people', label: 'People', Icon: IconUsers, owns: true },
      { to: '/audit-log', label: 'Audit log', Icon: IconHistory, owns: true },
    ],
  },
];

/** What is around every page: where one can go, whose account it is, and who looks at it. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { canAct, isOwner } = useSession();
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const isFirst = useRef(true);

  // Whoever goes to another page with the keyboard or a screen reader begins at its top, not in the navigation.
  useEffect(() => {
    close();
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [pathname, close]);

  return (
    <AppShell header={{ height: 52 }} navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }} padding={{ base: 'md', sm: 'lg' }}>
      <a href="#content" className={classes.skip}>
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger hiddenFrom="sm" size="sm" opened={isOpen} onClick={toggle} aria-label="Navigation" aria-expanded={isOpen} />
            <Group visibleFrom="sm" w={190}>
              <Brand />
            </Group>
            <AccountSwitch />
          </Group>
          <Group gap={4} wrap="nowrap">
            <ThemeSwitch />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Pages">
        <ScrollArea p="sm" type="auto">
          {GROUPS.map(({ title, pages }, index) => (
            <div key={index} className={classes.group}>
              {title && (
                <Text size="xs" c="dimmed" fw={500} px={10} pb={4}>
                  {title}
                </Text>
              )}
              {pages
                .filter((page) => (!('owns' in page) || isOwner) && (!('acts' in page) || canAct))
                .map(({ to, label, Icon }) => (
                  <NavLink
                    key={to}
                    component={RouterLink}
                    to={to}
                    label={label}
                    active={pathname === to || pathname.startsWith(`${to}/`)}
                    leftSection={<Icon size={17} stroke={1.6} aria-hidden />}
                    className={classes.link}
                  />
                ))}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main ref={main} id="content" tabIndex={-1}>
        <div className={classes.page}>
          <ErrorBoundary key={pathname}>
            <Suspense fallback={<div className={classes.coming} aria-busy="true" />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}
