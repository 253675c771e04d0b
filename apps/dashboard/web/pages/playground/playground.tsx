import { Alert, Button, Group, Paper, Select, SimpleGrid, Skeleton, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Estimate, type PlaygroundBody, type Provider, ROUTES, type Started } from '../../../src/api';
import { ApiError, post } from '../../api/call';
import { useProviders, useRequest } from '../../api/queries';
import { useSession } from '../../app/session';
import { fieldsOf, type JsonSchema, type Payload } from '../../request/fields';
import { RequestFields } from '../../request/request-fields';
import { Empty } from '../../ui/empty';
import { countryName, plural } from '../../ui/format';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import classes from './playground.module.css';
import { Run } from './run';

/** Where a request is put together, priced, sent, and its answer read. */
export function PlaygroundPage() {
  const [params] = useSearchParams();
  const { data: providers, error, refetch } = useProviders();
  const from = params.get('from') ?? undefined;
  const origin = useRequest(from);
  const { canAct } = useSession();
  if (!canAct) {
    return (
      <Page title="Playground">
        <Empty title="Viewers can’t send requests">An owner of the account can make you a member.</Empty>
      </Page>
    );
  }
  const isReady = providers && (from === undefined || !origin.isPending);
  return (
    <Page title="Playground" about="Ask a provider from a country. It costs and counts like any other request of this account.">
      {error && !providers && <Problem title="The providers could not be loaded" error={error} onRetry={() => void refetch()} />}
      {!isReady && !error && (
        <div className={classes.columns} aria-busy="true">
          <Skeleton height={520} />
          <Skeleton height={300} />
        </div>
      )}
      {isReady && (
        <Playground
          key={from}
          providers={providers}
          origin={origin.data?.payload ? { provider: origin.data.provider, payload: origin.data.payload, test: origin.data.test } : undefined}
        />
      )}
    </Page>
  );
}

interface Draft {
  provider: Provider;
  payload: Payload;
  test: boolean;
}

function Playground({ providers, origin }: { providers: Provider[]; origin: { provider: string | null; payload: Payload; test: boolean } | undefined }) {
  const [draft, setDraft] = useState<Draft>(() => firstDraft(providers, origin));
  const [requestId, setRequestId] = useState<string>();
  const { provider, payload, test } = draft;
  const prompt = payload[provider.promptField];
  const body: PlaygroundBody = { provider: provider.id, payload, test };
  const run = useMutation({
    mutationFn: (body: PlaygroundBody) => post<Started>(ROUTES.playground, body),
    meta: { isShownByForm: true },
    onSuccess: ({ requestId }) => setRequestId(requestId),
  });
  const faults = run.error instanceof ApiError ? run.error.fields : {};
  const errors = Object.fromEntries(Object.entries(faults).map(([path, message]) => [path.replace(/^payload\./, ''), message]));
  const change = (next: Partial<Draft>) => {
    run.reset();
    setDraft({ ...draft, ...next });
  };
  const isEmpty = typeof prompt !== 'string' || prompt.trim() === '';

  return (
    <div className={classes.columns}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty) run.mutate(body);
        }}
        className={classes.form}
      >
        <Paper p="md">
          <Stack>
            <SimpleGrid cols={2} spacing="sm">
              <Select
                label="Provider"
                data={providers.map(({ id, label }) => ({ value: id, label }))}
                value={provider.id}
                allowDeselect={false}
                onChange={(id) => change(moved(draft, providers.find((provider) => provider.id === id) ?? provider))}
              />
              <Select
                label="Country"
                data={provider.countries.map((code) => ({ value: code, label: `${code} · ${countryName(code)}` }))}
                value={payload['country'] as string}
                allowDeselect={false}
                searchable
                error={errors['country']}
                onChange={(country) => change({ payload: { ...payload, country } })}
              />
            </SimpleGrid>
            <Textarea
              label={provider.promptField === 'prompt' ? 'Prompt' : 'Query'}
              placeholder="What is the best travel mug?"
              autosize
              minRows={3}
              maxRows={10}
              value={typeof prompt === 'string' ? prompt : ''}
              error={errors[provider.promptField]}
              onChange={(event) => change({ payload: { ...payload, [provider.promptField]: event.currentTarget.value } })}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit();
              }}
            />
            <Stack gap="sm" role="group" aria-label="Options">
              <RequestFields
                fields={fieldsOf(provider.schema as JsonSchema, [provider.promptField, 'country'])}
                payload={payload}
                errors={errors}
                prices={provider.optionCredits}
                onChange={(payload) => change({ payload })}
              />
              <Switch
                label="Test run"
                description="Answered by the sandbox, free of charge."
                checked={test}
                onChange={(event) => change({ test: event.currentTarget.checked })}
              />
            </Stack>
            {run.error && Object.keys(faults).length === 0 && (
              <Alert color="red" role="alert" title="It was not sent">
                {run.error.message}
              </Alert>
            )}
            <Group justify="space-between" className={classes.send}>
              <Price body={body} isEmpty={isEmpty} />
              <Button type="submit" leftSection={<IconSend size={16} aria-hidden />} loading={run.isPending} disabled={isEmpty}>
                Send
              </Button>
            </Group>
          </Stack>
        </Paper>
      </form>
      <div className={classes.answer}>
        {requestId === undefined ? (
          <Section title="Answer">
            <Empty title="The answer appears here">Write a prompt and send it. Ctrl or ⌘ with Enter sends it from the keyboard.</Empty>
          </Section>
        ) : (
          <Run id={requestId} />
        )}
      </div>
    </div>
  );
}

const FIRST_COUNTRIES = ['US', 'GB', 'DE'];

/** The one to begin with: as it was asked before, or an empty one with Markdown, which has the citations in their places. */
function firstDraft(providers: Provider[], origin: { provider: string | null; payload: Payload; test: boolean } | undefined): Draft {
  const known = providers.find(({ id }) => id === origin?.provider);
  if (origin && known) return { provider: known, payload: origin.payload, test: origin.test };
  const provider = providers[0]!;
  return {
    provider,
    test: false,
    payload: { [provider.promptField]: '', country: countryOf(provider), ...(hasMarkdown(provider) ? { include: { markdown: true } } : {}) },
  };
}

/** Another provider is asked the same, with none of the options of the one before. */
function moved({ provider: before, payload, test }: Draft, provider: Provider): Draft {
  const country = payload['country'] as string;
  return {
    provider,
    test,
    payload: {
      [provider.promptField]: payload[before.promptField] ?? '',
      country: provider.countries.includes(country) ? country : countryOf(provider),
      ...(hasMarkdown(provider) ? { include: { markdown: true } } : {}),
    },
  };
}

const countryOf = ({ countries }: Provider) => FIRST_COUNTRIES.find((code) => countries.includes(code)) ?? countries[0];
const hasMarkdown = ({ schema }: Provider) => fieldsOf(schema as JsonSchema, []).some(({ path }) => path === 'include.markdown');

const PRICE_WAIT_MS = 200;

/** What it will cost, before it is sent. */
function Price({ body, isEmpty }: { body: PlaygroundBody; isEmpty: boolean }) {
  const prompt = 'a prompt of any length';
  // The prompt does not matter to the price, so that writing it asks nothing.
  const priced = {
    ...body,
    payload: Object.fromEntries(Object.entries(body.payload).map(([name, value]) => [name, name === 'prompt' || name === 'query' ? prompt : value])),
  };
  const [settled] = useDebouncedValue(JSON.stringify(priced), PRICE_WAIT_MS);
  const { data, error } = useQuery({
    queryKey: ['estimate', settled],
    queryFn: () => post<Estimate>(ROUTES.estimate, JSON.parse(settled) as PlaygroundBody),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  return (
    <div aria-live="polite" className={classes.price}>
      {data && !error && (
        <>
          <Text fw={600}>Costs {plural(data.creditsToCharge, 'credit')}</Text>
          <Text size="xs" c="dimmed">
            {data.lineItems.map(({ item, credits }) => `${item} ${credits}`).join(' + ') || 'free'}
          </Text>
        </>
      )}
      {error && !isEmpty && (
        <Text size="xs" c="dimmed">
          {error instanceof ApiError && error.status === 400 ? 'The price shows when the options fit together.' : error.message}
        </Text>
      )}
    </div>
  );
}
