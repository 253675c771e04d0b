import { Badge, Button, Checkbox, Group, Modal, Paper, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type CreatedKey, type Key, type Keys, type NewKeyBody, ROUTES } from '../../src/api';
import { ApiError, post } from '../api/call';
import { done } from '../api/client';
import { useKeys } from '../api/queries';
import { useSession } from '../app/session';
import { ConfirmButton } from '../ui/confirm-button';
import { Empty } from '../ui/empty';
import { Page } from '../ui/page';
import { Problem } from '../ui/problem';
import { SecretOnce } from '../ui/secret';
import { type Column, Table } from '../ui/table';
import { Ago, Time } from '../ui/time';

/** The account's API keys. */
export function KeysPage() {
  const { data, error, refetch } = useKeys();
  const { isOwner } = useSession();
  const client = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [secret, setSecret] = useState<string>();
  const revoke = useMutation({
    mutationFn: ({ id }: Key) => post<Key>(ROUTES.revocationOf(id)),
    onSuccess(key) {
      done(`${key.name} is revoked: within a second it opens nothing any more.`);
      return client.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const columns: Column<Key>[] = [
    {
      name: 'Name',
      cell: (key) => (
        <div style={{ minWidth: 120 }}>
          <Group gap="xs">
            <Text fw={500} className="break">
              {key.name}
            </Text>
            {key.test && (
              <Badge size="xs" color="gray">
                test
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" className="mono">
            sk_{key.test ? 'test' : 'live'}_…{key.lastFour}
          </Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {key.lastUsedAt === null ? 'never used' : <Ago at={key.lastUsedAt} />}
          </Text>
        </div>
      ),
    },
    { name: 'State', cell: (key) => <KeyState value={key} /> },
    { name: 'Scopes', wideOnly: true, cell: ({ scopes }) => (scopes === null ? 'all' : <Text className="mono">{scopes.join(', ')}</Text>) },
    { name: 'Last used', wideOnly: true, cell: ({ lastUsedAt }) => (lastUsedAt === null ? <Text c="dimmed">never</Text> : <Ago at={lastUsedAt} />) },
    {
      name: 'Created',
      wideOnly: true,
      cell: ({ createdAt, createdBy }) => (
        <>
          <Time at={createdAt} />
          <Text size="xs" c="dimmed">
            {createdBy ?? 'on the command line'}
          </Text>
        </>
      ),
    },
    {
      name: 'Actions',
      hiddenName: true,
      width: 100,
      cell: (key) =>
        isOwner &&
        stateOf(key) === 'active' && (
          <ConfirmButton label="Revoke" name={`Revoke ${key.name}`} title={`Revoke ${key.name}`} confirm="Revoke" onConfirm={() => revoke.mutateAsync(key)}>
            Whatever uses this key is refused within a second. This can’t be taken back.
          </ConfirmButton>
        ),
    },
  ];
  return (
    <Page
      title="API keys"
      about="Programs identify themselves with a key. Only its digest is stored."
      actions={
        isOwner && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            Create key
          </Button>
        )
      }
    >
      {error && !data && <Problem title="The keys could not be loaded" error={error} onRetry={() => void refetch()} />}
      {(data || !error) && (
        <Paper>
          {data?.keys.length === 0 ? (
            <Empty title="There is no key yet">{isOwner ? 'Create one to call the API.' : 'An owner of the account can create one.'}</Empty>
          ) : (
            <Table label="API keys" columns={columns} rows={data?.keys} expected={3} keyOf={({ id }) => id} />
          )}
        </Paper>
      )}
      <Modal opened={isOpen} onClose={close} title="Create an API key" closeButtonProps={{ 'aria-label': 'Close' }}>
        <NewKeyForm
          scopes={data?.scopes ?? []}
          onCreated={({ key, secret }) => {
            client.setQueryData<Keys>(['keys'], (keys) => keys && { ...keys, keys: [key, ...keys.keys] });
            close();
            setSecret(secret);
          }}
        />
      </Modal>
      <SecretOnce title="Your new API key" what="API key" secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  );
}

const stateOf = ({ revokedAt, expiresAt }: Key): 'revoked' | 'expired' | 'active' =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && new Date(expiresAt) <= new Date() ? 'expired' : 'active';

function KeyState({ value: key }: { value: Key }) {
  switch (stateOf(key)) {
    case 'revoked':
      return <Badge color="gray">Revoked</Badge>;
    case 'expired':
      return <Badge color="gray">Expired</Badge>;
    case 'active':
      return (
        <>
          <Badge color="green">Active</Badge>
          {key.expiresAt && (
            <Text size="xs" c="dimmed">
              until <Time at={key.expiresAt} />
            </Text>
          )}
        </>
      );
  }
}

const SCOPES: Record<string, string> = {
  'monitor:run': 'ask and wait for the answer',
  'tasks:create': 'create and cancel tasks',
  'tasks:read': 'read tasks, queue and usage',
  'webhooks:manage': 'read and repeat deliveries',
};

const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

function NewKeyForm({ scopes, onCreated }: { scopes: Keys['scopes']; onCreated: (created: CreatedKey) => void }) {
  const form = useForm({ initialValues: { name: '', isLimited: false, scopes: [] as string[], expiry: '', test: false } });
  const create = useMutation({
    mutationFn: (body: NewKeyBody) => post<CreatedKey>(ROUTES.keys, body),
    meta: { isShownByForm: true },
    onSuccess: onCreated,
    onError: (error) => form.setErrors(error instanceof ApiError && Object.keys(error.fields).length > 0 ? error.fields : { name: error.message }),
  });
  const submit = form.onSubmit(({ name, isLimited, scopes, expiry, test }) => {
    if (isLimited && scopes.length === 0) return form.setErrors({ scopes: 'Choose at least one.' });
    create.mutate({
      name,
      test,
      ...(isLimited ? { scopes: scopes as NonNullable<NewKeyBody['scopes']> } : {}),
      ...(expiry === '' ? {} : { expiresInDays: Number(expiry) }),
    });
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What uses it, such as “nightly report”"
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select label="Expires" data={EXPIRIES} allowDeselect={false} {...form.getInputProps('expiry')} />
        <Switch
          label="Only some scopes"
          description="Otherwise it may do everything, also what is added later."
          {...form.getInputProps('isLimited', { type: 'checkbox' })}
        />
        {form.values.isLimited && (
          <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
            <Stack gap="xs" mt="xs">
              {scopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={<span className="mono">{scope}</span>} description={SCOPES[scope]} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Switch label="Test key" description="Answered by the sandbox, free of charge." {...form.getInputProps('test', { type: 'checkbox' })} />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
