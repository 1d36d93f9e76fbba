import { Alert } from '@mantine/core';

export function FormProblem({ message }: { message: string | undefined }) {
  return message ? (
    <Alert role="alert" color="red" variant="light">
      {message}
    </Alert>
  ) : null;
}
