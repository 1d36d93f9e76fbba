import { describe, expect, it, vi } from 'vitest';
import { showProblems } from './forms';
import { ApiProblem } from './problem';

const problem = (fields: { field: string; message: string }[]) =>
  new ApiProblem({ status: 422, detail: 'Some values are wrong.', errors: fields });

describe('showProblems', () => {
  it('puts each problem at its field, by whole path or last part', () => {
    const setError = vi.fn();
    showProblems(
      problem([
        { field: 'parameters.connections', message: 'use a multiple of 3' },
        { field: 'body.name', message: 'is taken' },
      ]),
      ['name', 'parameters.connections'],
      setError,
    );
    expect(setError).toHaveBeenCalledWith('parameters.connections', {
      type: 'server',
      message: 'use a multiple of 3',
    });
    expect(setError).toHaveBeenCalledWith('name', { type: 'server', message: 'is taken' });
    expect(setError).toHaveBeenCalledTimes(2);
  });

  it('never hides a problem of a field that the form does not have', () => {
    const setError = vi.fn();
    showProblems(problem([{ field: 'template_key', message: 'is unknown' }]), ['name'], setError);
    expect(setError).toHaveBeenCalledExactlyOnceWith('root', {
      type: 'server',
      message: 'template_key: is unknown',
    });
  });

  it('shows the detail where the problem names no field', () => {
    const setError = vi.fn();
    showProblems(problem([]), ['name'], setError);
    expect(setError).toHaveBeenCalledExactlyOnceWith('root', {
      type: 'server',
      message: 'Some values are wrong.',
    });
  });
});
