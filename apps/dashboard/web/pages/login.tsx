import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Entrance } from '../app/entrance';
import { useLogin } from '../app/session';
import { FormProblem } from '../ui/form-problem';

export function LoginPage() {
  const login = useLogin();
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  return (
    <Entrance title="Log in">
      <form onSubmit={form.onSubmit((values) => login.mutate(values))}>
        <Stack>
          <FormProblem error={login.error} />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            data-autofocus
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput label="Password" autoComplete="current-password" required withAsterisk={false} {...form.getInputProps('password')} />
          <Button type="submit" loading={login.isPending} fullWidth>
            Log in
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
