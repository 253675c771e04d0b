import { Badge, Code, Group, NumberInput, SegmentedControl, Stack, Switch, TextInput } from '@mantine/core';
import { type Field, type Payload, valueAt, withValue } from './fields';

interface Props {
  fields: Field[];
  payload: Payload;
  onChange: (payload: Payload) => void;
  /** Faults by the path of the field. */
  errors: Record<string, string>;
  /** What options cost, by the path of the field; those that are free are not named. */
  prices: Record<string, number>;
}

/** The optional fields of a request, named as the API names them. */
export function RequestFields({ fields, payload, onChange, errors, prices }: Props) {
  return fields.map((field) => (
    <RequestField
      key={field.path}
      field={field}
      payload={payload}
      errors={errors}
      prices={prices}
      onChange={onChange}
      set={(value) => onChange(withValue(payload, field.path, value))}
    />
  ));
}

function RequestField({ field, payload, errors, prices, onChange, set }: Omit<Props, 'fields'> & { field: Field; set: (value: unknown) => void }) {
  const { path, description } = field;
  const value = valueAt(payload, path);
  const common = { label: <Name path={path} credits={prices[path]} />, description, error: errors[path] };
  switch (field.kind) {
    case 'flag':
      return <Switch {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked || undefined)} />;
    case 'choice':
      return (
        <Group gap="sm" role="group" aria-label={path}>
          <Name path={path} credits={prices[path]} />
          <SegmentedControl
            size="xs"
            aria-label={path}
            data={field.choices}
            value={String(value ?? field.initial)}
            onChange={(choice) => set(choice === field.initial ? undefined : choice)}
          />
        </Group>
      );
    case 'integer':
      return (
        <NumberInput
          {...common}
          w={140}
          size="xs"
          min={field.min}
          max={field.max}
          allowDecimal={false}
          value={typeof value === 'number' ? value : (field.initial ?? '')}
          onChange={(entered) => set(entered === '' || entered === field.initial ? undefined : Number(entered))}
        />
      );
    case 'text':
      return (
        <TextInput
          {...common}
          size="xs"
          maxLength={field.max}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => set(event.currentTarget.value || undefined)}
        />
      );
    case 'option':
      return (
        <Stack gap="xs">
          <Switch {...common} checked={value !== undefined} onChange={(event) => set(event.currentTarget.checked ? {} : undefined)} />
          {value !== undefined && field.fields.length > 0 && (
            <Stack gap="xs" pl="xl">
              <RequestFields fields={field.fields} payload={payload} errors={errors} prices={prices} onChange={onChange} />
            </Stack>
          )}
        </Stack>
      );
  }
}

const Name = ({ path, credits }: { path: string; credits: number | undefined }) => (
  <Group gap={6} component="span">
    <Code>{path}</Code>
    {credits !== undefined && (
      <Badge size="xs" color="gray" component="span">
        +{credits}
      </Badge>
    )}
  </Group>
);
