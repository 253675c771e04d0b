import { Alert, Group, List, Tabs } from '@mantine/core';
import type { Quality } from '@overheard/contracts';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { RequestDetail } from '../../src/api';
import { RawEvents } from '../answer/raw-events';
import type { Result } from '../answer/result';
import { StoredHtml } from '../answer/stored-html';
import { ErrorBoundary } from '../app/error-boundary';
import { CopyButton } from '../ui/copy-button';
import { JsonTree } from '../ui/json-tree';
import { Problem } from '../ui/problem';
import classes from './outcome.module.css';

const AnswerView = lazy(async () => ({ default: (await import('../answer/answer-view')).AnswerView }));

interface Props {
  request: RequestDetail;
  /** More to choose beside the answer. */
  tabs?: { value: string; label: string; content: ReactNode }[];
}

/** A result from every side: as a person reads it, as JSON, as it came event by event, and as the page that was stored. */
export function Outcome({ request, tabs = [] }: Props) {
  const result = useMemo(() => (request.result === null ? undefined : (JSON.parse(request.result) as Result)), [request.result]);
  if (!result) return null;
  const { rawResponse, ...answer } = result;
  const pages = [result.html ?? [], result.aioverview?.html ?? []].flat();
  const json = JSON.stringify(result, null, 2);
  return (
    <Tabs defaultValue="answer" keepMounted={false}>
      <Tabs.List className={classes.tabs}>
        <Tabs.Tab value="answer">Answer</Tabs.Tab>
        <Tabs.Tab value="json">JSON</Tabs.Tab>
        <Tabs.Tab value="events">Raw events{rawResponse && ` (${rawResponse.length})`}</Tabs.Tab>
        <Tabs.Tab value="html">Stored HTML</Tabs.Tab>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="answer" className={classes.panel}>
        {request.quality && <Degraded quality={request.quality} />}
        <ErrorBoundary instead={<Problem title="This answer can’t be shown like this" error={new Error('It is whole in the JSON tab.')} />}>
          <Suspense fallback={<div className={classes.coming} aria-busy="true" />}>
            <AnswerView result={answer} />
          </Suspense>
        </ErrorBoundary>
      </Tabs.Panel>
      <Tabs.Panel value="json" className={classes.panel}>
        <Group justify="flex-end" mb="xs">
          <CopyButton value={json} what="the JSON" label="Copy JSON" />
        </Group>
        <JsonTree value={result} />
      </Tabs.Panel>
      <Tabs.Panel value="events" className={classes.panel}>
        <RawEvents events={rawResponse} />
      </Tabs.Panel>
      <Tabs.Panel value="html" className={classes.panel}>
        <StoredHtml urls={pages} />
      </Tabs.Panel>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value} className={classes.panel}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const CHECKS: Record<string, string> = {
  answer_present: 'There is no answer in it.',
  citations_resolve: 'A citation leads to no source.',
  sources_present: 'No sources came with it, though the search was on.',
  complete_stream: 'The answer broke off.',
  country_applied: 'It may not be for the country that was wanted.',
  aioverview: 'The AI Overview could not be had.',
};

function Degraded({ quality }: { quality: Quality }) {
  const failed = quality.checks.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return null;
  return (
    <Alert color="yellow" title="This answer is worse than it should be" mb="lg">
      <List size="sm">
        {failed.map(({ id, detail }) => (
          <List.Item key={id}>
            {CHECKS[id] ?? 'A check failed.'} {detail} <span className="mono">({id})</span>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
