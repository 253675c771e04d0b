import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ROUTES, type Signing } from '../../../src/api';
import { post } from '../../api/call';
import { done } from '../../api/client';
import { useSigning } from '../../api/queries';
import { useSession } from '../../app/session';
import { ConfirmButton } from '../../ui/confirm-button';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { SecretOnce } from '../../ui/secret';
import { Time } from '../../ui/time';

/** Whether deliveries are signed; who owns the account turns it on and off, and takes a new secret. */
export function SigningSection() {
  const { data: signing, error, refetch } = useSigning();
  const { isOwner } = useSession();
  const client = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const change = useMutation({
    mutationFn: (path: string) => post<Signing>(path),
    onSuccess({ secret, ...signing }) {
      client.setQueryData(['signing'], signing);
      setSecret(secret);
    },
  });
  const confirmed = (path: string, said?: string) => async () => {
    await change.mutateAsync(path);
    if (said) done(said);
  };
  return (
    <Section title="Signing">
      {error && !signing && <Problem title="Whether signing is on could not be read" error={error} onRetry={() => void refetch()} />}
      {!signing && !error && <Skeleton height={36} />}
      {signing && (
        <Group justify="space-between" gap="md" mih={36}>
          <div>
            <Group gap="xs">
              <Badge color={signing.enabled ? 'green' : 'gray'}>{signing.enabled ? 'On' : 'Off'}</Badge>
              {signing.since && (
                <Text c="dimmed">
                  with this secret since <Time at={signing.since} />
                </Text>
              )}
            </Group>
            <Text c="dimmed" mt={4} maw={640}>
              {signing.enabled
                ? 'Every delivery carries a signature, which the receiver checks with the secret.'
                : 'Receivers can’t tell yet that a delivery comes from here. Turn signing on to give them a secret to check it with.'}
            </Text>
          </div>
          {isOwner &&
            (signing.enabled ? (
              <Group gap="xs">
                <ConfirmButton label="Rotate secret" title="Rotate the signing secret" confirm="Rotate" onConfirm={confirmed(ROUTES.signingRotate)}>
                  From the next attempt on deliveries are signed with a new secret. Receivers refuse them until they have it.
                </ConfirmButton>
                <ConfirmButton
                  label="Turn off"
                  title="Turn signing off"
                  confirm="Turn off"
                  onConfirm={confirmed(ROUTES.signingDisable, 'Deliveries are no longer signed.')}
                >
                  Deliveries lose their signature at once, and the secret is forgotten. Receivers that check it refuse them.
                </ConfirmButton>
              </Group>
            ) : (
              <Button size="xs" loading={change.isPending} onClick={() => change.mutate(ROUTES.signingEnable)}>
                Turn on
              </Button>
            ))}
        </Group>
      )}
      <SecretOnce title="Signing secret" what="signing secret" secret={secret} onClose={() => setSecret(undefined)} />
    </Section>
  );
}
