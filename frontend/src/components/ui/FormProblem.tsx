import { Alert } from '@mantine/core';

/** A problem of the form as a whole; renders nothing without a message. */
export function FormProblem({ message }: { message: string | undefined }) {
  return message ? (
    <Alert role="alert" color="red" variant="light">
      {message}
    </Alert>
  ) : null;
}
