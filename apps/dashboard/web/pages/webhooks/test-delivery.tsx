import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Delivery, ROUTES } from '../../../src/api';
import { ApiError, post } from '../../api/call';
import { done } from '../../api/client';
import { Section } from '../../ui/section';

/** Sends a made-up task to an address, signed and logged like any other delivery. */
export function TestDelivery() {
  const client = useQueryClient();
  const form = useForm({ mode: 'uncontrolled', initialValues: { url: '' } });
  const send = useMutation({
    mutationFn: (body: { url: string }) => post<Delivery>(ROUTES.testDelivery, body),
    meta: { isShownByForm: true },
    onSuccess() {
      done('The test delivery is on its way. It is at the top of the list.');
      return client.invalidateQueries({ queryKey: ['deliveries'] });
    },
    onError: (error) => form.setErrors({ url: error.message, ...(error instanceof ApiError ? error.fields : {}) }),
  });
  return (
    <Section title="Test delivery" about="A task that never was, sent, signed and logged like any other.">
      <form onSubmit={form.onSubmit((values) => send.mutate(values))}>
        <Group align="flex-start" gap="xs">
          <TextInput
            aria-label="Address of the receiver"
            placeholder="https://example.com/webhook"
            type="url"
            required
            flex="1 1 240px"
            maw={520}
            {...form.getInputProps('url')}
          />
          <Button type="submit" variant="default" loading={send.isPending}>
            Send a test
          </Button>
        </Group>
      </form>
    </Section>
  );
}
