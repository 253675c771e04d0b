import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiError } from '../api/call';
import { Entrance } from '../app/entrance';
import { useSetup } from '../app/session';
import { faultOfPassword } from '../ui/password';
import { FormProblem } from '../ui/form-problem';

/** The first run: whoever comes first makes the account and owns it. */
export function SetupPage() {
  const setup = useSetup();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { accountName: '', email: '', password: '' },
    validate: { password: faultOfPassword },
  });
  const submit = form.onSubmit((values) => setup.mutate(values, { onError: (error) => error instanceof ApiError && form.setErrors(error.fields) }));
  return (
    <Entrance title="Set up Overheard" about="Nobody is here yet. The account you make now is yours: you can invite others to it later.">
      <form onSubmit={submit}>
        <Stack>
          <FormProblem error={setup.error} />
          <TextInput
            label="Name of the account"
            description="Your team or company"
            required
            withAsterisk={false}
            autoFocus
            {...form.getInputProps('accountName')}
          />
          <TextInput label="Your e-mail address" type="email" autoComplete="username" required withAsterisk={false} {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description="At least 12 characters"
            autoComplete="new-password"
            required
            withAsterisk={false}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={setup.isPending} fullWidth>
            Create the account
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
