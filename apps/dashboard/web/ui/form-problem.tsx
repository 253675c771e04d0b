import { Alert } from '@mantine/core';

/** Why a form was not taken, told at once. */
export const FormProblem = ({ error }: { error: Error | null }) =>
  error && (
    <Alert color="red" role="alert">
      {error.message}
    </Alert>
  );
