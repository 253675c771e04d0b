import { Badge, Button, Group, Modal, Paper, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconUserPlus } from '@tabler/icons-react';
import { type InviteBody, type Person, type Role, ROUTES } from '../../src/api';
import { ApiError, post } from '../api/call';
import { done } from '../api/client';
import { usePeople } from '../api/queries';
import { useSession } from '../app/session';
import { ConfirmButton } from '../ui/confirm-button';
import { Page } from '../ui/page';
import { faultOfPassword } from '../ui/password';
import { Problem } from '../ui/problem';
import { Table } from '../ui/table';
import { Time } from '../ui/time';

const ROLES: { value: Role; label: string; may: string }[] = [
  { value: 'viewer', label: 'Viewer', may: 'looks at everything, and changes nothing' },
  { value: 'member', label: 'Member', may: 'also runs requests and repeats deliveries' },
  { value: 'owner', label: 'Owner', may: 'also manages keys, signing and people' },
];

/** Who may see this account, and do what. */
export function PeoplePage() {
  const { data, error, refetch } = usePeople();
  const { isOwner } = useSession();
  const client = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const refresh = () => client.invalidateQueries({ queryKey: ['people'] });
  const change = useMutation({ mutationFn: ({ id, role }: { id: string; role: Role }) => post<Person>(ROUTES.roleOf(id), { role }), onSettled: refresh });
  const remove = useMutation({ mutationFn: ({ id }: Person) => post(ROUTES.removalOf(id)), onSettled: refresh });
  return (
    <Page
      title="People"
      about="Who may see this account, and what they may do in it."
      actions={
        isOwner && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
            Add somebody
          </Button>
        )
      }
    >
      {error && !data && <Problem title="The people could not be loaded" error={error} onRetry={() => void refetch()} />}
      {(data || !error) && (
        <Paper>
          <Table
            label="People"
            rows={data?.people}
            expected={2}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Person',
                cell: ({ email, isSelf }) => (
                  <Group gap="xs">
                    <Text fw={500} className="break">
                      {email}
                    </Text>
                    {isSelf && (
                      <Badge size="xs" color="gray">
                        you
                      </Badge>
                    )}
                  </Group>
                ),
              },
              {
                name: 'Role',
                cell: (person) =>
                  isOwner ? (
                    <Select
                      size="xs"
                      w={110}
                      aria-label={`Role of ${person.email}`}
                      data={ROLES}
                      value={person.role}
                      allowDeselect={false}
                      onChange={(role) => role && change.mutate({ id: person.id, role }, { onSuccess: () => done(`${person.email} is now ${role}.`) })}
                    />
                  ) : (
                    ROLES.find(({ value }) => value === person.role)?.label
                  ),
              },
              { name: 'Since', wideOnly: true, cell: ({ since }) => <Time at={since} /> },
              {
                name: 'Actions',
                hiddenName: true,
                width: 100,
                cell: (person) =>
                  isOwner &&
                  !person.isSelf && (
                    <ConfirmButton
                      label="Remove"
                      name={`Remove ${person.email}`}
                      title={`Remove ${person.email}`}
                      confirm="Remove"
                      onConfirm={() => remove.mutateAsync(person)}
                    >
                      They lose this account at once. What they did stays in the audit log.
                    </ConfirmButton>
                  ),
              },
            ]}
          />
        </Paper>
      )}
      <Modal opened={isOpen} onClose={close} title="Add somebody" closeButtonProps={{ 'aria-label': 'Close' }}>
        <InviteForm
          onAdded={({ email }) => {
            close();
            done(`${email} can log in now.`);
            void refresh();
          }}
        />
      </Modal>
    </Page>
  );
}

function InviteForm({ onAdded }: { onAdded: (person: Person) => void }) {
  const form = useForm<InviteBody>({ initialValues: { email: '', password: '', role: 'member' }, validate: { password: faultOfPassword } });
  const invite = useMutation({
    mutationFn: (body: InviteBody) => post<Person>(ROUTES.people, body),
    meta: { isShownByForm: true },
    onSuccess: onAdded,
    onError: (error) => form.setErrors(error instanceof ApiError && Object.keys(error.fields).length > 0 ? error.fields : { email: error.message }),
  });
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))}>
      <Stack>
        <TextInput label="E-mail address" type="email" required withAsterisk={false} autoComplete="off" data-autofocus {...form.getInputProps('email')} />
        <PasswordInput
          label="First password"
          description="Give it to them; they can change it. Whoever has a login here already keeps their own."
          required
          withAsterisk={false}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Select
          label="Role"
          description={ROLES.find(({ value }) => value === form.values.role)?.may}
          data={ROLES}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
