import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { IconFilter, IconSearch, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useKeys, useProviders } from '../../api/queries';
import { type ListFilters, TIMES } from '../../api/request-list';
import { countryName } from '../../ui/format';
import classes from './filters.module.css';

export const FILTERS = ['search', 'status', 'provider', 'country', 'key', 'mode', 'time'] as const satisfies (keyof ListFilters)[];

const SEARCH_WAIT_MS = 250;

export function FilterBar({ filters, onChange }: { filters: ListFilters; onChange: (filters: ListFilters) => void }) {
  const { data: providers = [] } = useProviders();
  const { data: { keys } = { keys: [] } } = useKeys();
  const [isOpen, { toggle }] = useDisclosure(false);
  const countries = [...new Set(providers.flatMap(({ countries }) => countries))].sort();
  const set = (name: keyof ListFilters) => (value: string | null) => onChange({ ...filters, [name]: value ?? undefined });
  const count = FILTERS.filter((name) => name !== 'search' && filters[name]).length;
  const select = (name: keyof ListFilters, label: string, data: { value: string; label: string }[], searchable = false) => (
    <Select
      size="xs"
      aria-label={label}
      placeholder={label}
      data={data}
      value={filters[name] ?? null}
      onChange={set(name)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}`, tabIndex: 0 }}
      searchable={searchable}
      className={classes.select}
    />
  );
  return (
    <div role="search" aria-label="Filter requests" className={classes.bar}>
      <Search key={filters.search === undefined ? 'empty' : 'filled'} value={filters.search ?? ''} onChange={(search) => set('search')(search || null)} />
      <Button size="xs" variant="default" hiddenFrom="sm" leftSection={<IconFilter size={14} aria-hidden />} onClick={toggle} aria-expanded={isOpen}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      <Group gap="xs" className={classes.selects} data-open={isOpen || undefined}>
        {select('status', 'Status', [
          { value: 'ok', label: 'Succeeded' },
          { value: 'failed', label: 'Failed' },
          { value: 'refused', label: 'Refused' },
          { value: 'in_progress', label: 'In progress' },
        ])}
        {select(
          'provider',
          'Provider',
          providers.map(({ id, label }) => ({ value: id, label })),
        )}
        {select(
          'country',
          'Country',
          countries.map((code) => ({ value: code, label: `${code} · ${countryName(code)}` })),
          true,
        )}
        {select(
          'key',
          'Key',
          keys.map(({ id, name, lastFour }) => ({ value: id, label: `${name} …${lastFour}` })),
        )}
        {select('mode', 'Mode', [
          { value: 'sync', label: 'Synchronous' },
          { value: 'async', label: 'Task' },
        ])}
        {select(
          'time',
          'Time',
          Object.entries(TIMES).map(([value, { label }]) => ({ value, label })),
        )}
        {count > 0 && (
          <Button size="xs" variant="subtle" color="gray" leftSection={<IconX size={14} aria-hidden />} onClick={() => onChange({ search: filters.search })}>
            Clear
          </Button>
        )}
      </Group>
    </div>
  );
}

function Search({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, SEARCH_WAIT_MS);
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label="Search by request id or words of the prompt"
      placeholder="Request id or words of the prompt"
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value.trim());
      }}
      className={classes.search}
    />
  );
}
