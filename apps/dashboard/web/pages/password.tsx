import { Button, Paper, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiError } from '../api/call';
import { done } from '../api/client';
import { usePasswordChange } from '../app/session';
import { Page } from '../ui/page';
import { faultOfPassword } from '../ui/password';
import { FormProblem } from '../ui/form-problem';

/** One's own password. */
export function PasswordPage() {
  const change = usePasswordChange();
  const form = useForm({ mode: 'uncontrolled', initialValues: { current: '', next: '' }, validate: { next: faultOfPassword } });
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        done('Your password is changed, and you are logged out everywhere else.');
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  );
  return (
    <Page title="Change password" about="It is the same in all your accounts. Changing it ends your other sessions.">
      <Paper p="lg" maw={440}>
        <form onSubmit={submit}>
          <Stack>
            <FormProblem error={change.error} />
            <PasswordInput label="Present password" autoComplete="current-password" required withAsterisk={false} {...form.getInputProps('current')} />
            <PasswordInput
              label="New password"
              description="At least 12 characters"
              autoComplete="new-password"
              required
              withAsterisk={false}
              {...form.getInputProps('next')}
            />
            <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
              Change password
            </Button>
          </Stack>
        </form>
      </Paper>
    </Page>
  );
}
