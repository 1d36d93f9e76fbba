import { Alert } from '@mantine/core';

/** What is wrong with a form as a whole; nothing where there is no message. */
export function FormProblem({ message }: { message: string | undefined }) {
  return message ? (
    <Alert role="alert" color="red" variant="light">
      {message}
    </Alert>
  ) : null;
}
