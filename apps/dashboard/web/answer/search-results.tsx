import { domainOf } from '@overheard/providers/answer/addresses';
import { Accordion, Badge, Group, Stack, Text } from '@mantine/core';
import { OutsideLink } from '../ui/outside-link';
import classes from './answer.module.css';
import { Prose } from './prose';
import type { Question, SearchResult } from './result';

/** Results of a search page in their order. */
export function SearchResults({ results }: { results: SearchResult[] }) {
  return (
    <ol className={classes.results}>
      {results.map((result, index) => (
        <li key={index} value={result.position}>
          <Text c="dimmed" size="xs" className="line">
            {[result.source, result.displayedLink ?? domainOf(result.link), result.date].filter(Boolean).join(' · ')}
          </Text>
          <Text fw={500} className="break" component="div">
            <OutsideLink url={result.link}>{result.title}</OutsideLink>
          </Text>
          {result.snippet && <Text className="break">{result.snippet}</Text>}
          {result.sitelinks && (
            <Group gap="md" mt={4}>
              {result.sitelinks.inline.map(({ title, link }, position) => (
                <Text key={position} size="xs">
                  <OutsideLink url={link}>{title}</OutsideLink>
                </Text>
              ))}
            </Group>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Questions that open to their answers. */
export function Questions({ questions }: { questions: Question[] }) {
  return (
    <Accordion variant="contained" multiple order={3}>
      {questions.map(({ question, snippet, markdown, sources, title, link }, index) => (
        <Accordion.Item key={index} value={String(index)}>
          <Accordion.Control>
            <Text fw={500}>{question}</Text>
          </Accordion.Control>
          <Accordion.Panel>
            <Stack gap="xs">
              {(markdown ?? snippet) === undefined ? (
                <Text c="dimmed">The page did not show the answer.</Text>
              ) : (
                <Prose answer={{ text: snippet ?? '', markdown, sources }} />
              )}
              {link && (
                <Text>
                  <OutsideLink url={link}>{title ?? domainOf(link)}</OutsideLink>
                </Text>
              )}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

/** Short texts, some of which lead somewhere. */
export function LinkList({ links }: { links: { title: string; url?: string; note?: string }[] }) {
  return (
    <ul className={classes.links}>
      {links.map(({ title, url, note }, index) => (
        <li key={index}>
          <Text span className="break">
            {url === undefined ? title : <OutsideLink url={url}>{title}</OutsideLink>}
          </Text>
          {note && (
            <Badge color="gray" size="sm" ml="xs">
              {note}
            </Badge>
          )}
        </li>
      ))}
    </ul>
  );
}
