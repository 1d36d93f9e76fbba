/** With ordinary blanks, where no line ends between a number and its unit. */
export const plain = (text: string | null | undefined): string => (text ?? '').replaceAll('\u00a0', ' ');
