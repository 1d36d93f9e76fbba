/** Numbers as they are typed: whatever stands in the field, until the backend says what is wrong with it. */
export type NumberText = number | string;

/** Every field there, and numbers as they are typed. */
export type Typed<T> = {
  [K in keyof T]-?: number extends T[K] ? NumberText | Exclude<T[K], undefined> : Required<T>[K];
};

export type Scalar = string | number | boolean;

export interface Pair {
  name: string;
  value: Scalar;
}
