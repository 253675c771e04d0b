import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { JsonTree } from '../ui/json-tree';
import { ItemGroups } from './item-groups';
import { adGroups, type ItemGroup, inlineProductItem, mediaItem, placeItem, productGroups } from './items';
import { LinkList, Questions, SearchResults } from './search-results';
import { Prose } from './prose';
import { otherFields, type Result } from './result';

/** A result as a person reads it: each part of it that is there, whoever answered. */
export function AnswerView({ result }: { result: Result }) {
  const others = otherFields(result);
  const queries = [
    ...(result.searchQueries ?? []).map((query) => ({ title: query })),
    ...(result.search_model_queries ?? []).map(({ query, engine }) => ({ title: query, note: engine })),
  ];
  const related = [
    ...(result.related_queries ?? []).map((query) => ({ title: query })),
    ...(result.relatedSearches ?? []).map(({ query, link }) => ({ title: query, url: link })),
  ];
  return (
    <Stack gap="xl">
      {result.model && (
        <Text c="dimmed">
          Answered by the model <span className="mono">{result.model}</span>
        </Text>
      )}
      {result.text !== undefined && <Prose answer={result} />}
      {result.aioverview === null && <Alert color="gray">No AI Overview was shown for this query.</Alert>}
      {result.aioverview && (
        <Section title="AI Overview">
          <Prose answer={result.aioverview} />
          <Items groups={adGroups(result.aioverview.ads ?? [])} />
          <Items groups={alone((result.aioverview.videos ?? []).map(mediaItem))} />
        </Section>
      )}
      <Items title="Ads" groups={adGroups(result.ads ?? [])} />
      {has(result.organicResults) && (
        <Section title="Organic results" count={result.organicResults.length}>
          <SearchResults results={result.organicResults} />
        </Section>
      )}
      {has(result.newsResults) && (
        <Section title="News" count={result.newsResults.length}>
          <SearchResults results={result.newsResults} />
        </Section>
      )}
      {result.organicResults?.length === 0 && <Alert color="gray">The search found nothing.</Alert>}
      {result.newsResults?.length === 0 && <Alert color="gray">There was no news for this query.</Alert>}
      {has(result.peopleAlsoAsk) && (
        <Section title="People also ask" count={result.peopleAlsoAsk.length}>
          <Questions questions={result.peopleAlsoAsk} />
        </Section>
      )}
      {has(result.peopleAreSaying) && (
        <Section title="What people are saying" count={result.peopleAreSaying.length}>
          <LinkList links={result.peopleAreSaying.map(({ title, link, date }) => ({ title, url: link, note: date }))} />
        </Section>
      )}
      <Items title="Products" groups={productGroups([...(result.shoppingCards ?? []), ...(result.shopping_cards ?? [])])} />
      <Items title="Products in the text" groups={alone((result.inlineProducts ?? []).map(inlineProductItem))} />
      <Items title="Hotels" groups={alone((result.hotels ?? []).map(placeItem))} />
      <Items title="Places" groups={alone([...(result.places ?? []), ...(result.map ?? [])].map(placeItem))} />
      <Items title="Videos" groups={alone((result.videos ?? []).map(mediaItem))} />
      <Items title="Pictures" groups={alone((result.images ?? []).map(mediaItem))} />
      {has(result.entities) && (
        <Section title="Entities" count={result.entities.length}>
          <Group gap="xs">
            {result.entities.map(({ name, type }, index) => (
              <Badge key={index} color="gray" size="lg">
                {name}{' '}
                <Text span c="dimmed" size="xs">
                  {type}
                </Text>
              </Badge>
            ))}
          </Group>
        </Section>
      )}
      {has(queries) && (
        <Section title="Searched for" count={queries.length}>
          <LinkList links={queries} />
        </Section>
      )}
      {has(related) && (
        <Section title="Related" count={related.length}>
          <LinkList links={related} />
        </Section>
      )}
      {Object.keys(others).length > 0 && (
        <Section title="Other fields">
          <JsonTree value={others} />
        </Section>
      )}
    </Stack>
  );
}

function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Group gap="xs">
        <h2 style={{ font: 'inherit', fontSize: 16, fontWeight: 600, margin: 0 }}>{title}</h2>
        {count !== undefined && <Text c="dimmed">{count}</Text>}
      </Group>
      {children}
    </Stack>
  );
}

function Items({ title, groups }: { title?: string; groups: ItemGroup[] }) {
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  if (count === 0) return null;
  const list = <ItemGroups groups={groups} />;
  return title === undefined ? (
    list
  ) : (
    <Section title={title} count={count}>
      {list}
    </Section>
  );
}

const alone = (items: ItemGroup['items']): ItemGroup[] => (items.length > 0 ? [{ items }] : []);
const has = <T,>(list: T[] | undefined): list is T[] => list !== undefined && list.length > 0;
